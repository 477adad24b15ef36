#include "analyzer/text/table_text.hpp"

#include "analyzer/text/percent_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {

std::string title(const TextStyle& style, std::string_view text, std::string_view note) {
  const std::size_t room = style.width - std::min(style.width, width_of(text));
  return painted(style, Paint::kBold, text) + fit(style, note, room) + '\n';
}

std::string number_column(std::string_view text) {
  return right(text, kNumberWidth);
}
std::string size_column(std::uint64_t bytes) {
  return number_column(format_size(bytes));
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) {
    return {};
  }
  return format_percent(100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string_view lane_suffix(trace::Lane lane) {
  return trace::info_of(lane).suffix;
}

std::string footprint_text() {
  std::string text;
  for (const trace::Lane lane : trace::kFootprintLanes) {
    text += (text.empty() ? "" : " + ") + std::string(trace::key_of(lane));
  }
  return text;
}

std::string more_line(std::size_t all, std::size_t shown, const std::string& what) {
  return all > shown
             ? fmt::format("{} more {}\n", right(format_count(all - shown), kNumberWidth), what)
             : std::string();
}

}  // namespace tidemark::analyzer
