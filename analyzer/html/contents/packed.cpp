#include "analyzer/html/contents/packed.hpp"

#include "collector/trace/coding/bytes.hpp"

#include <algorithm>
#include <string_view>

namespace tidemark::html {
namespace {

std::string base64(const trace::ByteBuffer& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (j < taken ? bytes[i + j] : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= taken ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
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
  return base64(bytes);
}

}  // namespace tidemark::html
