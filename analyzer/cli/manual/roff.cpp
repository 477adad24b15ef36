#include "analyzer/cli/manual/roff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tidemark::cli {
namespace {

/// Those that troff would show as another one, or take for its own; a line may end behind a bar.
std::string_view escape_of(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '|':
      return "|\\:";
    default:
      return {};
  }
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view escape = escape_of(c);
    out += escape.empty() ? std::string_view(&c, 1) : escape;
  }
  return out;
}

std::string roff_line(std::string_view text) {
  return (text.starts_with('.') ? "\\&" : "") + roff_text(text) + '\n';
}

std::string page_head(std::string_view name,
                      std::string_view section,
                      std::string_view about,
                      std::string_view version) {
  std::string title(name);
  std::ranges::transform(title, title.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  // Tables come before the text: the first line says so.
  return fmt::format(
      "'\\\" t\n.TH {} {} \"\" \"tidemark {}\" \"tidemark\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
      roff_text(title), section, version, roff_text(name), roff_text(about));
}

}  // namespace tidemark::cli
