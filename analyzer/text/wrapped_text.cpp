#include "analyzer/text/wrapped_text.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// The first word of a text; a number has its unit with it.
std::string_view first_word(std::string_view text) {
  std::size_t end = text.find(' ');
  if (end != std::string_view::npos && text.front() >= '0' && text.front() <= '9') {
    end = text.find(' ', end + 1);
  }
  return text.substr(0, end);
}

}  // namespace

std::vector<std::string> wrapped(const TextStyle& style, std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = first_word(text);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t used = width_of(lines.back());
    if (used > 0 && used + 1 + width_of(word) > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + fit(style, word, width);
  }
  return lines;
}

}  // namespace tidemark::analyzer
