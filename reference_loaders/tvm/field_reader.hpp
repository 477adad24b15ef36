#pragma once

#include "reference_loaders/tvm/stream.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tidemark::loaders::tvm {

/// dmlc's primitives, one field after the other: a number as it lies in the file, a string as a u64
/// length and its bytes, a vector as a u64 count and its elements, a map as a vector of pairs.
///
/// Every length is checked against what is left of the stream before anything is allocated for it.
/// Whatever is wrong is refused with the file's name and the offset of the field. Stream and name
/// stay borrowed.
class FieldReader {
 public:
  /// @param begin where in the file the stream begins; messages count from the file's first byte.
  FieldReader(Stream& stream, const std::string& source, std::uint64_t begin = 0)
      : stream_(stream), source_(source), begin_(begin) {}

  /// Names what is read from here on, for messages.
  void enter(std::string part) { part_ = std::move(part); }
  [[nodiscard]] const std::string& part() const { return part_; }

  template <typename T>
  T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    bytes(&value, sizeof value);
    return value;
  }
  void bytes(void* data, std::uint64_t size);
  std::string string(const char* of);
  std::vector<std::string> strings(const char* of);
  std::vector<std::int64_t> integers(const char* of);

  /// The count or length in front of elements that take at least `least_bytes` each.
  std::uint64_t count(std::uint64_t least_bytes, const char* of);
  void expect_magic(std::uint64_t magic, const char* of);
  void expect_end(const char* last) const;

  /// Where in the file the next field begins.
  [[nodiscard]] std::uint64_t offset() const { return begin_ + stream_.position(); }
  [[nodiscard]] std::uint64_t remaining() const { return stream_.remaining(); }

  /// Refuses the file because of the field read last, or of `offset`. @throws BadInput, always
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(field_offset_, what); }
  [[noreturn]] void refuse_at(std::uint64_t offset, const std::string& what) const;

 private:
  Stream& stream_;
  const std::string& source_;
  std::uint64_t begin_;
  std::string part_ = "the header";
  std::uint64_t field_offset_ = 0;  ///< Where the field read last begins.
};

}  // namespace tidemark::loaders::tvm
