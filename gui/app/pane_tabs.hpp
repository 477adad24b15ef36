/// The panes below the timeline, one at a time, and the details of a block beside.
#pragma once

#include "gui/app/panes/activity_pane.hpp"
#include "gui/app/panes/blocks/blocks_pane.hpp"
#include "gui/app/panes/blocks/pages_pane.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/difference_pane.hpp"
#include "gui/app/panes/findings_pane.hpp"
#include "gui/app/panes/holders_pane.hpp"
#include "gui/app/panes/usage_pane.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace tidemark::gui {

class PaneTabs {
 public:
  /// `traces`: how many there are. `wake`: see TraceWorker.
  PaneTabs(std::size_t traces, const std::function<void()>& wake)
      : has_difference_(traces > 1), difference_(wake), blocks_(wake) {}

  /// Shows `pane` from the next frame on. Does nothing for kDifference if there is only one trace.
  void turn_to(Pane pane) {
    if (pane != Pane::kDifference || has_difference_) {
      turn_ = pane;
    }
  }
  /// The same by the number of a shown tab, from 0.
  void turn_to_tab(std::size_t tab) {
    if (const auto pane = pane_at(tab, has_difference_)) {
      turn_to(*pane);
    }
  }
  /// True until the pane turned to is shown.
  [[nodiscard]] bool is_turning() const { return turn_.has_value(); }
  /// True if a pane has changed, in the last frame, what the next one shows.
  [[nodiscard]] bool looks_elsewhere() const { return looks_elsewhere_; }
  /// True while something may become ready without a further `wake`.
  [[nodiscard]] bool is_busy() const { return difference_.is_busy() || blocks_.is_busy(); }

  /// Into the rest of the current ImGui child. When a pane asks for a stack to be looked at, goes
  /// to the holders at an instant when the stack holds memory.
  void show(const Desk& desk);
  /// See BlocksPane.
  void pin(const Desk& desk, std::size_t side, std::uint64_t allocation) {
    blocks_.pin(desk, side, allocation);
  }
  /// True if a block or a layer of small blocks is pinned.
  [[nodiscard]] bool has_details(const Desk& desk) const { return blocks_.has_details(desk); }
  /// Unpins the layer. (To unpin a block, reset ViewState::block.)
  void let_layer_go() { blocks_.let_layer_go(); }
  /// Like `show`, for the details of what is pinned.
  void show_details(const Desk& desk);

 private:
  void show_tab(const Desk& desk, std::size_t tab, Pane pane);
  std::optional<StackAt> show_pane(const Desk& desk, Pane pane);
  void look_at(const Desk& desk, const std::optional<StackAt>& wanted);

  bool has_difference_;
  HoldersPane holders_;
  DifferencePane difference_;
  BlocksPane blocks_;
  ActivityPane activity_;
  FindingsPane findings_;
  UsagePane usage_;
  PagesPane pages_;
  std::optional<Pane> turn_;  // The tab to turn to.
  bool looks_elsewhere_ = false;
};

}  // namespace tidemark::gui
