#include "analyzer/text/text_style.hpp"

#include "analyzer/text/shown_text.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

std::string_view escape_of(Paint paint) {
  switch (paint) {
    case Paint::kBold:
      return "\033[1m";
    case Paint::kDim:
      return "\033[2m";
    case Paint::kWarning:
      return "\033[1;31m";
    case Paint::kAccent:
      return "\033[36m";
    case Paint::kPlain:
      break;
  }
  return "";
}

std::string_view ellipsis(const TextStyle& style) {
  return style.utf8 ? "…" : "...";
}

/// The byte at which the code point number `points` starts.
std::size_t offset_of(std::string_view text, std::size_t points) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_continuation(text[at]) && points-- == 0) {
      break;
    }
  }
  return at;
}

}  // namespace

std::string painted(const TextStyle& style, Paint paint, std::string_view text) {
  if (!style.colour || paint == Paint::kPlain || text.empty()) {
    return std::string(text);
  }
  return std::string(escape_of(paint)).append(text).append("\033[0m");
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !is_continuation(c); }));
}

std::string printable(const TextStyle& style, std::string_view text) {
  std::string shown = shown_text(text);
  if (style.utf8) {
    return shown;
  }
  // One character for each: of a longer one only the first byte stays, and becomes the question
  // mark.
  std::erase_if(shown, is_continuation);
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }, '?');
  return shown;
}

std::string fit(const TextStyle& style, std::string_view text, std::size_t width) {
  if (width_of(text) <= width) {
    return std::string(text);
  }
  const std::size_t kept = width - std::min(width, width_of(ellipsis(style)));
  return std::string(text.substr(0, offset_of(text, kept))).append(ellipsis(style));
}

std::string fit_tail(const TextStyle& style, std::string_view text, std::size_t width) {
  const std::size_t whole = width_of(text);
  if (whole <= width) {
    return std::string(text);
  }
  const std::size_t kept = width - std::min(width, width_of(ellipsis(style)));
  return std::string(ellipsis(style)).append(text.substr(offset_of(text, whole - kept)));
}

std::string fit_middle(const TextStyle& style, std::string_view text, std::size_t width) {
  const std::size_t whole = width_of(text);
  if (whole <= width) {
    return std::string(text);
  }
  const std::size_t kept_end = width / 3;
  const std::size_t end = offset_of(text, whole - kept_end);
  return fit(style, text.substr(0, end), width - kept_end).append(text.substr(end));
}

std::string right(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ').append(text);
}

std::string left(std::string_view text, std::size_t width) {
  return std::string(text).append(width - std::min(width, width_of(text)), ' ');
}

}  // namespace tidemark::analyzer
