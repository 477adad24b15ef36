#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tidemark::loaders::tvm {

/// TVM FFI's Bytes: an immutable copy of bytes, which lies in one block with its head. Made from a
/// string that somebody still holds, it is a second copy of it.
class FfiBytes {
 public:
  /// @throws std::bad_alloc
  explicit FfiBytes(const std::string& bytes);

  /// Borrowed from this object.
  [[nodiscard]] std::span<const std::byte> view() const;

 private:
  struct Head;
  struct Free {
    void operator()(Head* head) const;
  };

  std::unique_ptr<Head, Free> head_;
};

}  // namespace tidemark::loaders::tvm
