/// Untrusted text: names of functions, phases, threads and files, command lines.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `text` made safe for any output: one line of valid UTF-8 that contains only printable
/// characters. A `?` stands for each control character (C0, DEL, C1: they move cursors, set titles,
/// end lines), each character that turns the direction of text or ends a line (it shows text as
/// what it is not), each code point that no text may hold (XML refuses it), and each byte that is
/// no UTF-8. Escaping for a format's syntax is left to that format.
///
/// LoadedTrace passes everything that a trace holds through here, so a format gets no other text.
/// Call it for text from elsewhere: options, file names, other files.
std::string shown_text(std::string_view text);

/// A byte of UTF-8 that is not the first one of its code point.
constexpr bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// True when `shown_text` would change nothing.
bool is_shown_as_it_is(std::string_view text);

}  // namespace tidemark::analyzer
