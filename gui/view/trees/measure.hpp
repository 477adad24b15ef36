/// Which part of a weight is shown: what a range of time allocated, how much of that it freed or
/// kept, or all that it gave back.
#pragma once

#include "gui/view/trees/call_tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

/// For an instant only kBytes applies.
enum class Measure : std::uint8_t {
  kBytes,      ///< At an instant: held; in a range: allocated.
  kFreed,      ///< Allocated in the range, and gone at its end.
  kKept,       ///< Allocated in the range, and there at its end.
  kGivenBack,  ///< Released in the range, whenever it was allocated; not what a process ended with.
};

/// The bytes, and the blocks, of a weight by this measure.
std::uint64_t measured(const Weight& weight, Measure measure);
std::uint64_t measured_blocks(const Weight& weight, Measure measure);

/// The name of a range's measure: `allocated`, `given back`.
const char* measure_text(Measure measure);

/// The children of a node with at least `least_bytes`, most first, ties in tree order. Children
/// without bytes count only if they have a block.
std::vector<std::uint32_t> children_by(const CallTree& tree,
                                       std::uint32_t node,
                                       Measure measure,
                                       double least_bytes = 0);

/// The tree as lines with tabs between columns, to paste into a spreadsheet: bytes, blocks,
/// function (indented by its depth), place.
std::string tree_text(const CallTree& tree, Measure measure, std::size_t most_lines);

}  // namespace tidemark::gui
