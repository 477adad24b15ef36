/// Two traces in one call tree: what each side holds behind every function.
#pragma once

#include "gui/view/trees/call_tree.hpp"

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

/// Functions are the same on both sides when they read the same, whatever their files and lines.
struct DifferenceTree {
  CallTree tree;             ///< A node's bytes: the larger side. Those below it may have more.
  std::vector<Sides> sides;  ///< By node: sums of all stacks through it.
};

/// `order`: kTopDown or kBottomUp.
DifferenceTree difference_tree(const NamedStacks& before,
                               const NamedStacks& after,
                               TreeOrder order);

}  // namespace tidemark::gui
