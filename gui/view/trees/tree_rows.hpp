/// The rows of a table that shows a call tree, some of it unfolded.
#pragma once

#include "gui/view/trees/call_tree.hpp"

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

/// From top to bottom. With something wanted, only what matches, unfolded down to it, and what lies
/// below it where that is unfolded by hand.
std::vector<TreeRow> tree_rows(const CallTree& tree,
                               const std::set<std::uint32_t>& open,
                               const std::string& wanted);

}  // namespace tidemark::gui
