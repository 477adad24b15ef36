#include "analyzer/html/html.hpp"

#include "analyzer/html/assets.hpp"
#include "analyzer/html/theme_css.hpp"

#include <array>
#include <utility>

namespace tidemark::html {
namespace {

struct Slot {
  std::string_view name;
  std::string text;
};

/// `page.html` with its slots, written as `{{name}}`, filled. What fills one is not looked at
/// again.
template <std::size_t kCount>
std::string filled(std::string_view page, const std::array<Slot, kCount>& slots) {
  std::string text;
  while (true) {
    const std::size_t open = page.find("{{");
    const std::size_t close = page.find("}}", open);
    text += page.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      return text;
    }
    const std::string_view name = page.substr(open + 2, close - open - 2);
    for (const Slot& slot : slots) {
      text += slot.name == name ? std::string_view(slot.text) : std::string_view();
    }
    page.remove_prefix(close + 2);
  }
}

}  // namespace

std::string embedded_json(const analyzer::Json& data) {
  const std::string json = analyzer::json_line(data);
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    // Only strings can hold these, and in strings the escapes mean the same.
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string escaped_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '<'   ? std::string_view("&lt;")
               : c == '>' ? std::string_view("&gt;")
               : c == '&' ? std::string_view("&amp;")
                          : std::string_view(&c, 1);
  }
  return escaped;
}

std::string html_of(std::string_view title, const analyzer::Json& data) {
  const std::array<Slot, 5> slots{{{"title", escaped_text(title)},
                                   {"script_hash", std::string(kScriptHash)},
                                   {"style", theme_css() + std::string(kStyle)},
                                   {"data", embedded_json(data)},
                                   {"script", std::string(kScript)}}};
  return filled(kPage, slots);
}

}  // namespace tidemark::html
