/// Who holds memory at the instant, or allocated it in the range: flame graph and table.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/flame_view.hpp"
#include "gui/app/panes/holders_table.hpp"
#include "gui/app/panes/shown_trees.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace tidemark::gui {

class HoldersPane {
 public:
  /// Into the rest of the current ImGui child. @return a stack to be looked at at another instant,
  /// when it holds something.
  std::optional<StackAt> show(const Desk& desk);
  /// Selects this stack once the holders are known.
  void select(StackAt wanted) { wanted_ = std::move(wanted); }

 private:
  void know_trees(const Desk& desk);
  std::optional<StackAt> show_wanted_stack(const Desk& desk, const Holders& holders);
  void toolbar(const Desk& desk, const Holders& holders);
  void graph(const Desk& desk);

  ShownTrees shown_;
  FlameView flame_;
  Measure measure_ = Measure::kBytes;
  HoldersTable table_;
  StackAt wanted_;                              // Without frames: none.
  std::vector<analyzer::NamedFrame> selected_;  // Innermost first; empty: none.
};

}  // namespace tidemark::gui
