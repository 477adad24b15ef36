/// The trees of who holds memory: whole, or with recursion folded.
#pragma once

#include "gui/view/session/open_trace.hpp"
#include "gui/view/trees/folded_tree.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark::gui {

class ShownTrees {
 public:
  /// What has changed: in these trees, nodes have other numbers now.
  struct Change {
    bool is_of_holders = false;  ///< All trees have changed.
    TreeOrders orders;
  };

  /// Takes the holders, if known, and their folded trees, which the trace's worker makes. Until
  /// these come, trees are whole; if they were folded before, the previous holders' trees stay.
  /// @param folded the orders to be shown folded; none: all trees are whole.
  Change know(OpenTrace& trace, const TreeOrders& folded);

  [[nodiscard]] const std::shared_ptr<const Holders>& holders() const { return holders_; }
  [[nodiscard]] const CallTree& tree(TreeOrder order) const;
  /// By node: see FoldedTree; null: the tree is whole.
  [[nodiscard]] const std::vector<std::uint32_t>* times(TreeOrder order) const;
  /// See gui::path_of.
  [[nodiscard]] std::vector<std::uint32_t> path_of(
      TreeOrder order, const std::vector<analyzer::NamedFrame>& stack) const;

 private:
  [[nodiscard]] const FoldedTree* folded(TreeOrder order) const;

  const OpenTrace* trace_ = nullptr;        // Only to be compared with others.
  std::shared_ptr<const Holders> holders_;  // Null: not known.
  TreeOrders folds_;                        // Those that are shown folded.
  std::shared_ptr<const FoldedHolders> folded_;
};

}  // namespace tidemark::gui
