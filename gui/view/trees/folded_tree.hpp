/// A call tree without the towers that recursion makes.
#pragma once

#include "gui/view/trees/call_tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

/// Invariant: bytes and blocks are those of the whole tree; each stack passes through the same
/// functions, but through none that called itself more than once in a row.
struct FoldedTree {
  CallTree tree;                       ///< Its labels are borrowed of the whole tree.
  std::vector<std::uint32_t> node_of;  ///< By node of the whole tree: the one that it is part of.
  std::vector<std::uint32_t> times;    ///< By node: how many in a row it is, where they are most.

  /// Where a path of the whole tree leads, each node once.
  [[nodiscard]] std::vector<std::uint32_t> path(const std::vector<std::uint32_t>& whole) const;
};

/// ` ×40`; empty for one.
std::string times_text(std::uint32_t times);

/// A function below itself, whatever the line, becomes one node with what is below either; it is
/// called as the upper one. `whole` stays borrowed.
FoldedTree fold_recursion(const CallTree& whole);

}  // namespace tidemark::gui
