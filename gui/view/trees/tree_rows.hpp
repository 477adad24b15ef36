/// The rows of a table that shows a call tree, some of it unfolded.
#pragma once

#include "gui/view/trees/measure.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tidemark::gui {

struct TreeRow {
  std::uint32_t node = 0;
  std::size_t depth = 0;
  bool has_children = false;
  bool is_open = false;
};

/// From top to bottom, what has most of `measure` first and nothing that has none of it. With
/// something wanted, only what matches, unfolded down to it, and what lies below it where that is
/// unfolded by hand.
std::vector<TreeRow> tree_rows(const CallTree& tree,
                               Measure measure,
                               const std::set<std::uint32_t>& open,
                               const std::string& wanted);

}  // namespace tidemark::gui
