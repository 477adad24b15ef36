#include "analyzer/html/html.hpp"

#include "analyzer/html/assets.hpp"
#include "analyzer/html/theme_css.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <zlib.h>

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

/// Deflated, as the page's script inflates it.
std::string deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  // zlib's bytes are unsigned.
  auto* to = reinterpret_cast<Bytef*>(bytes.data());
  const auto* from = reinterpret_cast<const Bytef*>(text.data());
  if (compress2(to, &size, from, text.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::runtime_error("zlib found no memory to deflate a page");
  }
  bytes.resize(size);
  return bytes;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (j < taken ? static_cast<std::uint8_t>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= taken ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace

std::string packed_json(const analyzer::Json& data) {
  // Nothing in base64 is markup, so that no character needs an escape of six.
  return base64(deflated(data.dump(-1, ' ', false, analyzer::Json::error_handler_t::replace)));
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

std::string html_of(std::string_view title, std::string_view words, const analyzer::Json& data) {
  const std::array<Slot, 6> slots{{{"title", escaped_text(title)},
                                   {"words", std::string(words)},
                                   {"script_hash", std::string(kScriptHash)},
                                   {"style", theme_css() + std::string(kStyle)},
                                   {"data", packed_json(data)},
                                   {"script", std::string(kScript)}}};
  return filled(kPage, slots);
}

}  // namespace tidemark::html
