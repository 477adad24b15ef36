#include "gui/app/panes/shown_trees.hpp"

#include <cstddef>
#include <utility>

namespace tidemark::gui {

ShownTrees::Change ShownTrees::know(OpenTrace& trace, const TreeOrders& folded) {
  const auto& holders = trace.holders();
  if (folded.any()) {
    trace.ask_folded(folded);
  }
  const auto known = folded.any() ? trace.folded() : nullptr;
  TreeOrders ready;
  for (std::size_t order = 0; known != nullptr && order < kTreeOrders; ++order) {
    ready[order] = folded[order] && known->trees.at(order) != nullptr;
  }
  // Keeps the old folded trees: showing whole ones in between would flicker while moving in time.
  if (trace_ == &trace && holders != holders_ && (folds_ & folded).any() && ready != folded &&
      !trace.is_idle()) {
    return {};
  }
  trace_ = &trace;
  const Change change{std::exchange(holders_, holders) != holders, folds_ ^ ready};
  folds_ = ready;
  folded_ = known;
  return change;
}

const CallTree& ShownTrees::tree(TreeOrder order) const {
  const FoldedTree* const tree = folded(order);
  return tree == nullptr ? holders_->tree(order) : tree->tree;
}

const std::vector<std::uint32_t>* ShownTrees::times(TreeOrder order) const {
  const FoldedTree* const tree = folded(order);
  return tree == nullptr ? nullptr : &tree->times;
}

std::vector<std::uint32_t> ShownTrees::path_of(
    TreeOrder order, const std::vector<analyzer::NamedFrame>& stack) const {
  auto whole = gui::path_of(holders_->tree(order), order, stack);
  const FoldedTree* const tree = folded(order);
  return tree == nullptr ? whole : tree->path(whole);
}

const FoldedTree* ShownTrees::folded(TreeOrder order) const {
  const auto at = static_cast<std::size_t>(order);
  return folds_[at] ? folded_->trees.at(at).get() : nullptr;
}

}  // namespace tidemark::gui
