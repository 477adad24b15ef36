#pragma once

#include "reference_loaders/burn/gzip_reader.hpp"

#include <cstdint>
#include <string>

namespace tidemark::loaders::burn {

/// Reads MessagePack (msgpack.org, spec.md) as a stream, without building values: what a value
/// becomes, and how much memory that takes, is decided by the loader's chain, not by a library.
class MsgpackReader {
 public:
  /// @param gzip stays borrowed.
  explicit MsgpackReader(GzipReader& gzip) : gzip_(gzip) {}

  /// Each reads one value of the kind, or its head. @throws BadInput when it is of another kind,
  /// or longer than what is left of the file can hold.
  std::uint32_t map_head();
  std::uint32_t array_head();
  std::uint32_t binary_head();
  std::string string();
  std::int64_t integer();

  /// The first byte of the next value, which stays there.
  std::uint8_t peek();

  /// A float32, which is what most of a record is.
  float float32() {
    if (next() != kFloat32) {
      refuse("a float32 is expected here");
    }
    return big_endian_float();
  }

  /// Reads past one value that is no map and no array.
  void skip_scalar();

  /// `size` bytes as they are.
  void raw(void* data, std::size_t size) { gzip_.read(data, size); }

  [[noreturn]] void refuse(const std::string& what) const;

  static constexpr std::uint8_t kFloat32 = 0xca;

 private:
  std::uint8_t next();
  template <typename T>
  T big_endian();
  float big_endian_float();
  [[nodiscard]] std::uint32_t checked(std::uint64_t length, std::uint64_t least_bytes) const;

  GzipReader& gzip_;
  bool has_peeked_ = false;
  std::uint8_t peeked_ = 0;
};

inline std::uint8_t MsgpackReader::next() {
  if (has_peeked_) {
    has_peeked_ = false;
    return peeked_;
  }
  std::uint8_t byte = 0;
  gzip_.read(&byte, 1);
  return byte;
}

inline float MsgpackReader::big_endian_float() {
  std::uint32_t bits = 0;
  gzip_.read(&bits, sizeof bits);
  bits = __builtin_bswap32(bits);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace tidemark::loaders::burn
