/// Which items of a toolbar stand in which row.
#pragma once

#include <vector>

namespace tidemark::gui {

struct ToolbarItem {
  double width = 0;
  double gap = 0;  ///< To the one before, where both are in one row.
  /// It and those up to the next group stay together where a row has room for them.
  bool begins_group = false;
};

/// @param room the width of a row. @return of each item whether it begins a row. An item that is
/// wider than a row is alone in one.
std::vector<bool> toolbar_rows(const std::vector<ToolbarItem>& items, double room);

}  // namespace tidemark::gui
