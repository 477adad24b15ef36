#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct XXH3_state_s;

namespace tidemark::loaders {

/// One loaded tensor as every system can show it. Borrows from the loaded model.
struct TensorView {
  std::string_view name;
  std::string dtype;  ///< As in NumPy where it has a name: "float32", "int8".
  std::span<const std::int64_t> shape;
  std::span<const std::byte> bytes;  ///< Dense, row-major, little-endian.
};

/// XXH3-64 over name, dtype, shape and bytes of all tensors, in name order.
///
/// Each tensor adds: u64 length and bytes of the name; the same of the dtype; u64 number of
/// dimensions and each as i64; u64 number of bytes and the bytes; all little-endian. Two loaders
/// with the same checksum loaded the same model, whatever the order in which they did.
class Checksum {
 public:
  Checksum();

  /// The next tensor in name order. Nothing of it is kept.
  void add(const TensorView& tensor);
  [[nodiscard]] std::uint64_t digest() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };

  void add_sized(const void* bytes, std::uint64_t count, std::uint64_t element_bytes = 1);

  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The same of all tensors at once, in any order.
std::uint64_t checksum(std::vector<TensorView> tensors);

}  // namespace tidemark::loaders
