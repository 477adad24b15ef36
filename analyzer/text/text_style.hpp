/// What a terminal can show, and text made to fit it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// The plain default is what a pipe or a file gets.
struct TextStyle {
  std::size_t width = 80;
  bool colour = false;
  bool utf8 = false;
  bool whole_stacks = false;  ///< Every frame of a stack that is listed, on a line of its own.
};

enum class Paint { kPlain, kBold, kDim, kWarning, kAccent };

/// `text` between the escapes for `paint`; as it is without colours.
std::string painted(const TextStyle& style, Paint paint, std::string_view text);

/// Columns the text takes: one a code point.
std::size_t width_of(std::string_view text);

/// As `shown_text`; characters that the terminal's locale cannot show become `?`, too.
std::string printable(const TextStyle& style, std::string_view text);

/// Truncates to at most `width` columns: replaces the end, for `fit_tail` the start, for
/// `fit_middle` the middle by an ellipsis.
std::string fit(const TextStyle& style, std::string_view text, std::size_t width);
std::string fit_tail(const TextStyle& style, std::string_view text, std::size_t width);
std::string fit_middle(const TextStyle& style, std::string_view text, std::size_t width);

/// Padded with spaces on the left, on the right.
std::string right(std::string_view text, std::size_t width);
std::string left(std::string_view text, std::size_t width);

}  // namespace tidemark::analyzer
