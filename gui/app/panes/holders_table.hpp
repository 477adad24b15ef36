/// A table of who holds memory. Rows can be unfolded, and be taken away.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/shown_trees.hpp"
#include "gui/view/trees/flame_picture.hpp"
#include "gui/view/trees/tree_rows.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tidemark::gui {

class HoldersTable {
 public:
  /// Into the rest of the current ImGui child, with a switch for each order of the rows.
  void show(const Desk& desk, const ShownTrees& trees, Measure measure);
  /// Folds all rows and selects none; call when the holders change.
  void reset();
  /// Highlights the row of the asking function, scrolls to it and unfolds its callers.
  /// `stack`: innermost first.
  void select(TreeOrder order,
              const ShownTrees& trees,
              const std::vector<analyzer::NamedFrame>& stack);

 private:
  void switches(const Desk& desk, const ShownTrees& trees, Measure measure);
  static void columns(const Desk& desk, const ShownTrees& trees, Measure measure);
  void scroll_to_selected();
  void row(const Desk& desk, const ShownTrees& trees, Measure measure, const TreeRow& row);
  void tick_row(const Desk& desk, const ShownTrees& trees, Measure measure, std::uint32_t node);
  void know_rows(const Desk& desk, const ShownTrees& trees, Measure measure);
  void know_unticked(const Desk& desk, const ShownTrees& trees);

  std::set<std::uint32_t> open_;  // Nodes of the tree in this order.
  // Recomputed when the tree, the measure, the open nodes or the search text change.
  std::vector<TreeRow> rows_;
  bool has_rows_ = false;
  std::string wanted_;                 // The search text of `rows_`.
  Measure measure_ = Measure::kBytes;  // The measure of `rows_`.
  // The nodes whose stacks are taken away, and the list they were computed from.
  std::set<std::uint32_t> unticked_nodes_;
  std::vector<Unticked> unticked_;
  std::optional<std::uint32_t> selected_;  // A node of the same tree.
  bool must_scroll_ = false;               // To the selected row.
};

}  // namespace tidemark::gui
