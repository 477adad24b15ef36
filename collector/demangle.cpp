#include "collector/demangle.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <cxxabi.h>

namespace tidemark {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kRustEscapes{{{"SP", "@"},
                                                                                     {"BP", "*"},
                                                                                     {"RF", "&"},
                                                                                     {"LT", "<"},
                                                                                     {"GT", ">"},
                                                                                     {"LP", "("},
                                                                                     {"RP", ")"},
                                                                                     {"C", ","},
                                                                                     {"u7e", "~"}}};

constexpr std::array<std::string_view, 7> kMarks{".cold",  ".part.",     ".constprop.", ".isra.",
                                                 ".llvm.", ".lto_priv.", ".localalias"};

/// Only known marks: a dot is an ordinary letter in Go's names and in Rust's older ones.
std::string_view without_marks(std::string_view symbol) {
  std::string_view name = symbol.substr(0, symbol.find('@', 1));
  for (const std::string_view mark : kMarks) {
    name = name.substr(0, name.find(mark, 1));
  }
  return name;
}

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Older Rust names are C++ names whose last part is "h" and 16 hexadecimal digits.
bool has_rust_hash(std::string_view name) {
  constexpr std::size_t kHash = 16;
  constexpr std::size_t kTail = kHash + 3;
  return name.size() > kTail && name.substr(name.size() - kTail, 3) == "::h" &&
         is_hexadecimal(name.substr(name.size() - kHash));
}

/// The text between two dollars: a short word, or "u" and a character's number.
std::string unescape(std::string_view escape) {
  for (const auto& [word, text] : kRustEscapes) {
    if (escape == word) {
      return std::string(text);
    }
  }
  unsigned value = 0;
  const char* end = escape.data() + escape.size();
  if (escape.size() == 3 && escape[0] == 'u' &&
      std::from_chars(escape.data() + 1, end, value, 16).ptr == end && value < 0x80) {
    return {static_cast<char>(value)};
  }
  return "$" + std::string(escape) + "$";
}

std::string tidy_rust(std::string_view name) {
  std::string tidy;
  name.remove_suffix(std::string_view("::h0123456789abcdef").size());
  while (!name.empty()) {
    const auto close = name.front() == '$' ? name.find('$', 1) : std::string_view::npos;
    if (close != std::string_view::npos) {
      tidy += unescape(name.substr(1, close - 1));
      name.remove_prefix(close + 1);
    } else if (name.starts_with("..")) {
      tidy += "::";
      name.remove_prefix(2);
    } else if (name.starts_with("_$") && (tidy.empty() || tidy.ends_with("::"))) {
      name.remove_prefix(1);  // Stands before an escape that begins a part.
    } else {
      tidy += name.front();
      name.remove_prefix(1);
    }
  }
  return tidy;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  std::string name(without_marks(symbol));
  if (!name.starts_with("_Z")) {
    return name;
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (plain == nullptr) {
    return name;
  }
  const std::string_view text(plain.get());
  return has_rust_hash(text) ? tidy_rust(text) : std::string(text);
}

}  // namespace tidemark
