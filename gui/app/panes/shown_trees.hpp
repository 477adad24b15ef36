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
  /// What is another one now: nodes of these trees have other numbers.
  struct Change {
    bool is_of_holders = false;  ///< Of all trees.
    TreeOrders orders;
  };

  /// Takes who holds memory, where that is known, and their folded trees, which the trace's worker
  /// makes: until they come, the trees are whole; or, where trees were folded before, still those
  /// of the holders before.
  /// @param folded the orders that are looked at; none: all trees are whole.
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

  const OpenTrace* trace_ = nullptr;        // Of this, to be told from others alone.
  std::shared_ptr<const Holders> holders_;  // Null: not known.
  TreeOrders folds_;                        // Those that are shown folded.
  std::shared_ptr<const FoldedHolders> folded_;
};

}  // namespace tidemark::gui
