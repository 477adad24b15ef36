#pragma once

#include "reference_loaders/burn/byte_source.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace tidemark::loaders::burn {

/// Inflates a gzip file from front to back, through two small buffers.
class GzipReader {
 public:
  /// @param source stays borrowed. @throws BadInput when it is no gzip file
  explicit GzipReader(ByteSource& source);
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();

  /// Reads exactly `size` inflated bytes. @throws BadInput when there are fewer, or damaged ones
  void read(void* data, std::size_t size) {
    if (size <= end_ - at_) {
      std::memcpy(data, buffer_->data() + at_, size);
      at_ += size;
      return;
    }
    read_slowly(static_cast<char*>(data), size);
  }

  /// @throws BadInput when anything follows, inflated or not, or a checksum is wrong
  void expect_end();

  /// Upper bound of the inflated bytes still to come: deflate makes at most 1032 of one.
  [[nodiscard]] std::uint64_t most_left() const;

  /// Approximate file offset of the last inflated byte that was read.
  [[nodiscard]] std::uint64_t offset() const;
  [[nodiscard]] std::uint64_t inflated_offset() const { return inflated_ - (end_ - at_); }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  struct Stream;

  void read_slowly(char* data, std::size_t size);
  void refill();
  void read_compressed();

  ByteSource& source_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<std::array<char, kBufferBytes>>
      buffer_;  ///< Inflated, from `at_` to `end_` unread.
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t inflated_ = 0;  ///< Bytes so far.
  bool at_end_ = false;         ///< The gzip member has ended, and its checksums were right.
};

}  // namespace tidemark::loaders::burn
