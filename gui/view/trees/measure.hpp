/// Which part of a weight is looked at: what a stretch of time allocated, what of that it kept, or
/// all that it gave back.
#pragma once

#include "gui/view/trees/call_tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

/// Of an instant there are bytes alone.
enum class Measure : std::uint8_t {
  kBytes,      ///< Held at an instant; of a range: allocated in it.
  kFreed,      ///< Allocated in the range, and gone at its end.
  kKept,       ///< Allocated in the range, and there at its end.
  kGivenBack,  ///< Gone in the range, whenever it was allocated.
};

/// Bytes, and blocks, of a weight that are meant.
std::uint64_t measured(const Weight& weight, Measure measure);
std::uint64_t measured_blocks(const Weight& weight, Measure measure);

/// What those of a range are called: `allocated`, `given back`.
const char* measure_text(Measure measure);

/// The children of a node with at least so many bytes, most first; ties as the tree has them.
/// Without bytes: those with a block, too.
std::vector<std::uint32_t> children_by(const CallTree& tree,
                                       std::uint32_t node,
                                       Measure measure,
                                       double least_bytes = 0);

/// The tree as lines with tabs between columns, to paste into a spreadsheet: bytes, blocks,
/// function (indented by its depth), place.
std::string tree_text(const CallTree& tree, Measure measure, std::size_t most_lines);

}  // namespace tidemark::gui
