/// Integers to bytes and back: little-endian, varint, zigzag. See the head of FORMAT.md.
#pragma once

#include "collector/trace/coding/format.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::trace {

static_assert(std::endian::native == std::endian::little, "integers are copied as they stand");

using ByteBuffer = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

template <typename Integer>
void store(std::uint8_t* at, Integer value) {
  std::memcpy(at, &value, sizeof value);
}

template <typename Integer>
[[nodiscard]] Integer load(const std::uint8_t* at) {
  Integer value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}

constexpr std::uint64_t unzigzag(std::uint64_t coded) {
  return (coded >> 1) ^ (0 - (coded & 1));
}

/// Writes `value` at `at`, which has room for kMaxVarintBytes. @return the end of what was written.
inline std::uint8_t* write_varint(std::uint8_t* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

/// Length of `value` as a varint.
constexpr std::size_t varint_bytes(std::uint64_t value) {
  const int bits = 64 - std::countl_zero(value | 1);
  return static_cast<std::size_t>((bits + 6) / 7);
}

/// The same as `read_varint` for any length, byte by byte.
inline std::uint64_t read_long_varint(const std::uint8_t*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 7 * kMaxVarintBytes; shift += 7) {
    const std::uint64_t byte = *at++;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  return value;
}

/// Reads the varint at `at` without bounds checks: kMaxVarintBytes must be readable.
///
/// The length of a multi-byte varint is hard to predict, so it is not found by a loop, but as the
/// first byte without its top bit among eight.
inline std::uint64_t read_varint(const std::uint8_t*& at) {
  const auto word = load<std::uint64_t>(at);
  if ((word & 0x80) == 0) [[likely]] {
    ++at;
    return word & 0x7f;
  }
  const std::uint64_t ends = ~word & 0x8080808080808080;
  if (ends == 0) [[unlikely]]
    return read_long_varint(at);
  const int bits = std::countr_zero(ends) + 1;
  at += bits / 8;
  // Seven bits of each byte, pulled together in pairs, in fours, and in eights.
  std::uint64_t value = word & (~std::uint64_t{0} >> (64 - bits));
  value = (value & 0x007f007f007f007f) | ((value & 0x7f007f007f007f00) >> 1);
  value = (value & 0x00003fff00003fff) | ((value & 0x3fff00003fff0000) >> 2);
  return (value & 0x000000000fffffff) | ((value & 0x0fffffff00000000) >> 4);
}

/// Appends to a buffer.
class ByteWriter {
 public:
  explicit ByteWriter(ByteBuffer& out) : out_(out) {}

  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out_.push_back(static_cast<std::uint8_t>(value | 0x80));
    out_.push_back(static_cast<std::uint8_t>(value));
  }
  template <typename Integer>
  void fixed(Integer value) {
    std::array<std::uint8_t, sizeof value> coded{};
    store(coded.data(), value);
    out_.insert(out_.end(), coded.begin(), coded.end());
  }
  void bytes(ByteView view) { out_.insert(out_.end(), view.begin(), view.end()); }
  /// Length and text, cut at kMaxStringBytes.
  void string(std::string_view text) {
    text = text.substr(0, kMaxStringBytes);
    varint(text.size());
    out_.insert(out_.end(), text.begin(), text.end());
  }

 private:
  ByteBuffer& out_;
};

/// Reads a span from front to back, never beyond it. Past the end, or on malformed content, it
/// fails permanently and returns zeros.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : rest_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  void fail() {
    failed_ = true;
    rest_ = {};
  }

  std::uint64_t varint() {
    if (rest_.size() >= kMaxVarintBytes) [[likely]] {
      const auto* end = rest_.data();
      const auto value = read_varint(end);
      const bool has_end = end[-1] < 0x80;
      rest_ = rest_.subspan(static_cast<std::size_t>(end - rest_.data()));
      if (has_end)
        return value;
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * kMaxVarintBytes; shift += 7) {
      if (rest_.empty())
        break;
      const std::uint64_t byte = rest_.front();
      rest_ = rest_.subspan(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    fail();
    return 0;
  }
  /// A varint that must fit 32 bits.
  std::uint32_t varint32() {
    const auto value = varint();
    if (value > 0xffffffff)
      fail();
    return failed_ ? 0 : static_cast<std::uint32_t>(value);
  }
  ByteView bytes(std::uint64_t count) {
    if (count > rest_.size()) {
      fail();
      return {};
    }
    const auto view = rest_.first(count);
    rest_ = rest_.subspan(count);
    return view;
  }
  template <typename Integer>
  Integer fixed() {
    const auto view = bytes(sizeof(Integer));
    return failed_ ? Integer{} : load<Integer>(view.data());
  }
  std::string string() {
    const auto length = varint();
    if (length > kMaxStringBytes)
      fail();
    const auto view = bytes(failed_ ? 0 : length);
    return {view.begin(), view.end()};
  }

 private:
  ByteView rest_;
  bool failed_ = false;
};

}  // namespace tidemark::trace
