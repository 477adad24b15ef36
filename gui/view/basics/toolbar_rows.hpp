/// Which items of a toolbar are in which row.
#pragma once

#include <vector>

namespace tidemark::gui {

struct ToolbarItem {
  double width = 0;
  double gap = 0;  ///< To the previous item, if in the same row.
  /// This item and those up to the next group stay in one row if it has room for them.
  bool begins_group = false;
};

/// @param room the width of a row. @return for each item, whether it begins a row. An item wider
/// than a row gets one to itself.
std::vector<bool> toolbar_rows(const std::vector<ToolbarItem>& items, double room);

}  // namespace tidemark::gui
