#include "analyzer/text/shown_text.hpp"

#include <algorithm>
#include <cstddef>

namespace tidemark::analyzer {
namespace {

/// A code point and the bytes it takes; no bytes for invalid UTF-8.
struct Decoded {
  char32_t point = 0;
  std::size_t length = 0;
};

/// The least code point that needs so many bytes: a longer form of a lower one is invalid UTF-8.
constexpr char32_t kMinPointOfLength[] = {0, 0, 0x80, 0x800, 0x10000};

/// The code point at the start of `text`, which is not empty.
Decoded decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80U) {
    return {lead, 1};
  }
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || length > text.size() ||
      !std::ranges::all_of(text.substr(1, length - 1), is_continuation)) {
    return {};
  }
  char32_t point = lead & (0x7FU >> length);
  for (const char c : text.substr(1, length - 1)) {
    point = (point << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < kMinPointOfLength[length] || point > 0x10FFFF || is_surrogate) {
    return {};
  }
  return {point, length};
}

constexpr bool is_within(char32_t point, char32_t first, char32_t last) {
  return first <= point && point <= last;
}

constexpr bool is_control(char32_t point) {
  return point < 0x20 || is_within(point, 0x7F, 0x9F);
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm.
constexpr bool turns_direction(char32_t point) {
  return point == 0x061C || is_within(point, 0x200E, 0x200F) || is_within(point, 0x202A, 0x202E) ||
         is_within(point, 0x2066, 0x2069);
}

constexpr bool ends_line(char32_t point) {
  return is_within(point, 0x2028, 0x2029);
}

/// U+FFFE, U+FFFF and their like, and U+FDD0 to U+FDEF.
constexpr bool is_no_character(char32_t point) {
  return (point & 0xFFFEU) == 0xFFFEU || is_within(point, 0xFDD0, 0xFDEF);
}

constexpr bool is_harmless(char32_t point) {
  return !is_control(point) && !turns_direction(point) && !ends_line(point) &&
         !is_no_character(point);
}

/// Almost all text: known at a glance.
bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::string shown_text(std::string_view text) {
  if (is_plain_ascii(text)) {
    return std::string(text);
  }
  std::string shown;
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.length != 0 && is_harmless(next.point)) {
      shown += text.substr(0, next.length);
    } else {
      shown += '?';
    }
    text.remove_prefix(std::max<std::size_t>(next.length, 1));
  }
  return shown;
}

bool is_shown_as_it_is(std::string_view text) {
  return is_plain_ascii(text) || shown_text(text) == text;
}

}  // namespace tidemark::analyzer
