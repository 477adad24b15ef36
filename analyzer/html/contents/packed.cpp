#include "analyzer/html/contents/packed.hpp"

#include "collector/trace/coding/bytes.hpp"

#include <algorithm>

namespace tidemark::html {
namespace {

/// One character a byte, from U+005D on, and behind the control characters from U+00A1 on: none of
/// them needs an escape in JSON or in a script element. Deflate, which comes after, finds in it
/// what it would find in the bytes; in base64 it would not.
std::string as_characters(const trace::ByteBuffer& bytes) {
  constexpr unsigned kFirst = 0x5D;
  constexpr unsigned kControls = 0xA1 - 0x7F;  // DEL, C1, and a space.
  constexpr unsigned kTwoBytesFrom = 0x7F;
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    const unsigned plain = kFirst + byte;
    if (plain < kTwoBytesFrom) {
      text += static_cast<char>(plain);
    } else {
      const unsigned character = plain + kControls;
      text += static_cast<char>(0xC0U | character >> 6U);
      text += static_cast<char>(0x80U | (character & 0x3FU));
    }
  }
  return text;
}

}  // namespace

std::string packed(std::span<const std::uint64_t> numbers) {
  trace::ByteBuffer bytes;
  trace::ByteWriter writer(bytes);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::uint64_t kept = std::min(numbers[i], kMaxPackedNumber);
    writer.varint(trace::zigzag(kept - last));
    ++i;
    if (kept == last) {
      const std::size_t first = i;
      while (i < numbers.size() && std::min(numbers[i], kMaxPackedNumber) == kept) {
        ++i;
      }
      writer.varint(i - first);
    }
    last = kept;
  }
  return as_characters(bytes);
}

}  // namespace tidemark::html
