/// A call tree with recursion folded.
#pragma once

#include "gui/view/trees/call_tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

/// Invariant: bytes and blocks are those of the whole tree; each stack passes through the same
/// functions, but through none more than once in a row.
struct FoldedTree {
  CallTree tree;                       ///< Its labels are borrowed from the whole tree.
  std::vector<std::uint32_t> node_of;  ///< By node of the whole tree: the node that it is part of.
  std::vector<std::uint32_t> times;    ///< By node: the deepest recursion folded into it; 1: none.

  /// A path of the whole tree as a path of this one, each node once.
  [[nodiscard]] std::vector<std::uint32_t> path(const std::vector<std::uint32_t>& whole) const;
};

/// ` ×40`; empty for one.
std::string times_text(std::uint32_t times);

/// Merges a function that is directly below itself, at whatever line, into the upper node, which
/// keeps its label and gets the children of both. `whole` stays borrowed.
FoldedTree fold_recursion(const CallTree& whole);

}  // namespace tidemark::gui
