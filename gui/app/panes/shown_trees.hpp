/// The trees of who holds memory: whole, or with recursion folded.
#pragma once

#include "gui/view/session/answers.hpp"
#include "gui/view/trees/folded_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tidemark::gui {

class ShownTrees {
 public:
  /// @return true where nodes have other numbers now.
  bool know(const std::shared_ptr<const Holders>& holders, bool folds);

  [[nodiscard]] const Holders& holders() const { return *holders_; }
  [[nodiscard]] const CallTree& tree(TreeOrder order) const;
  /// By node: see FoldedTree; null: the tree is whole.
  [[nodiscard]] const std::vector<std::uint32_t>* times(TreeOrder order) const;
  /// See gui::path_of.
  [[nodiscard]] std::vector<std::uint32_t> path_of(
      TreeOrder order, const std::vector<analyzer::NamedFrame>& stack) const;

 private:
  [[nodiscard]] const FoldedTree& folded(TreeOrder order) const;

  std::shared_ptr<const Holders> holders_;
  bool folds_ = false;
  // By order, made when it is looked at first.
  mutable std::array<std::optional<FoldedTree>, kTreeOrders> folded_;
};

}  // namespace tidemark::gui
