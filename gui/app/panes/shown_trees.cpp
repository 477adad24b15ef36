#include "gui/app/panes/shown_trees.hpp"

#include <utility>

namespace tidemark::gui {

bool ShownTrees::know(const std::shared_ptr<const Holders>& holders, bool folds) {
  const bool is_other = std::exchange(holders_, holders) != holders;
  const bool is_turned = std::exchange(folds_, folds) != folds;
  if (is_other || !folds) {
    folded_ = {};
  }
  return is_other || is_turned;
}

const CallTree& ShownTrees::tree(TreeOrder order) const {
  return folds_ ? folded(order).tree : holders_->tree(order);
}

const std::vector<std::uint32_t>* ShownTrees::times(TreeOrder order) const {
  return folds_ ? &folded(order).times : nullptr;
}

std::vector<std::uint32_t> ShownTrees::path_of(
    TreeOrder order, const std::vector<analyzer::NamedFrame>& stack) const {
  auto whole = gui::path_of(holders_->tree(order), order, stack);
  return folds_ ? folded(order).path(whole) : whole;
}

const FoldedTree& ShownTrees::folded(TreeOrder order) const {
  auto& known = folded_.at(static_cast<std::size_t>(order));
  if (!known) {
    known = fold_recursion(holders_->tree(order));
  }
  return *known;
}

}  // namespace tidemark::gui
