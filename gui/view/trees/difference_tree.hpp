/// Two traces in one call tree: what each side holds behind every function.
#pragma once

#include "gui/view/trees/call_tree.hpp"
#include "gui/view/trees/comparison.hpp"
#include "gui/view/trees/folded_tree.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::gui {

/// What a node holds in either trace.
struct Sides {
  std::uint64_t before = 0;
  std::uint64_t after = 0;

  [[nodiscard]] std::int64_t change() const {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
};

/// The rows of a comparison added up, so that tree and table say the same: a stack that was matched
/// is one path, as it is after; one that came or went is a path, too. Where a stack ends in a
/// function that others go on from, it ends in a child `(itself)` of that function. From the
/// callers down the tree goes on to what the line of Python called that asked: each call is a path
/// there.
struct DifferenceTree {
  CallTree tree;             ///< A path's bytes: those of its larger side. They add up.
  std::vector<Sides> sides;  ///< By node: sums of all stacks through it.
};

/// Its nodes with recursion folded, as FoldedTree has them; `times`, too. `whole` stays borrowed.
struct FoldedDifference {
  FoldedTree folded;
  std::vector<Sides> sides;  ///< By node of the folded tree.
};
FoldedDifference fold_recursion(const DifferenceTree& whole);

/// `order`: kTopDown or kBottomUp.
DifferenceTree difference_tree(const std::vector<ComparisonRow>& rows, TreeOrder order);

}  // namespace tidemark::gui
