#include "gui/view/basics/toolbar_rows.hpp"

#include <cstddef>

namespace tidemark::gui {
namespace {

/// With the gaps in it, but not the one before it.
double width_of_group(const std::vector<ToolbarItem>& items, std::size_t first) {
  double width = items[first].width;
  for (std::size_t i = first + 1; i < items.size() && !items[i].begins_group; ++i) {
    width += items[i].gap + items[i].width;
  }
  return width;
}

}  // namespace

std::vector<bool> toolbar_rows(const std::vector<ToolbarItem>& items, double room) {
  std::vector<bool> begins_row(items.size());
  double x = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double needed = items[i].begins_group ? width_of_group(items, i) : items[i].width;
    begins_row[i] = i == 0 || x + items[i].gap + needed > room;
    x = begins_row[i] ? items[i].width : x + items[i].gap + items[i].width;
  }
  return begins_row;
}

}  // namespace tidemark::gui
