/// Two traces in one call tree, with what each side holds through every function.
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

/// The rows of a comparison merged into a tree, so tree and table agree. A matched stack is one
/// path, as in `after`; one that came or went is a path too. If a stack ends in a function that
/// other stacks go on from, it ends in a child `(itself)` of that function. From the callers down,
/// the tree goes on below the asking line of Python: each of its calls is a path.
struct DifferenceTree {
  CallTree tree;             ///< A path has the bytes of its larger side; these add up.
  std::vector<Sides> sides;  ///< By node: sums of all stacks through it.
};

/// A difference tree with recursion folded, see FoldedTree. The whole tree stays borrowed.
struct FoldedDifference {
  FoldedTree folded;
  std::vector<Sides> sides;  ///< By node of the folded tree.
};
FoldedDifference fold_recursion(const DifferenceTree& whole);

/// `order`: kTopDown or kBottomUp.
DifferenceTree difference_tree(const std::vector<ComparisonRow>& rows, TreeOrder order);

}  // namespace tidemark::gui
