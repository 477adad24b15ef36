#include "gui/view/basics/line_breaks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace tidemark::gui {
namespace {

constexpr std::array<std::string_view, 13> kUnits{"B",  "KiB", "MiB", "GiB", "TiB", "ns", "us",
                                                  "ms", "s",   "min", "x",   "×",   "W"};

/// True for the space between a number and its unit, and for that in `x W`.
bool is_within_number(std::string_view text, std::size_t space) {
  const std::string_view before = text.substr(0, space);
  std::string_view after = text.substr(space + 1);
  after = after.substr(0, after.find_first_of(" \n.,;:)"));
  const bool is_behind_number =
      !before.empty() && std::isdigit(static_cast<unsigned char>(before.back())) != 0;
  const bool is_behind_times = before.ends_with(" x") || before.ends_with(" ×");
  return std::ranges::find(kUnits, after) != kUnits.end() &&
         (after == "W" ? is_behind_times : is_behind_number);
}

}  // namespace

std::string broken_at_spaces(std::string text,
                             double room,
                             const std::function<double(const std::string&)>& width_of) {
  std::size_t line = 0;  // Where it begins.
  std::size_t space = std::string::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (space != std::string::npos && width_of(text.substr(line, end - line)) > room) {
      text[space] = '\n';
      line = space + 1;
    }
    if (end == text.size() || text[end] == '\n' || !is_within_number(text, end)) {
      space = end;
    }
    if (end < text.size() && text[end] == '\n') {
      line = end + 1;
      space = std::string::npos;
    }
    at = end + 1;
  }
  return text;
}

}  // namespace tidemark::gui
