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

/// From top to bottom, most of `measure` first, without nodes that have none. If `wanted` is not
/// empty: only the first match on each path, with its parents unfolded, and what is below it as far
/// as `open`.
std::vector<TreeRow> tree_rows(const CallTree& tree,
                               Measure measure,
                               const std::set<std::uint32_t>& open,
                               const std::string& wanted);

}  // namespace tidemark::gui
