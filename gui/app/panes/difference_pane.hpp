/// What two traces hold, stack by stack: flame graph and table.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/flame_view.hpp"
#include "gui/view/trees/comparison.hpp"
#include "gui/view/trees/difference_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::gui {

class DifferencePane {
 public:
  explicit DifferencePane(std::function<void()> wake) : wake_(std::move(wake)) {}

  void show(const Desk& desk);
  [[nodiscard]] bool is_busy() const { return coming_.valid(); }

 private:
  struct Compared {
    std::vector<ComparisonRow> rows;
    std::size_t changed = 0;  // How many changed: the first rows.
    std::uint64_t unchanged_bytes = 0;
    DifferenceTree from_callers;
    DifferenceTree from_askers;
    std::optional<FoldedDifference> folded_from_callers;  // If asked for, like the next.
    std::optional<FoldedDifference> folded_from_askers;
  };
  /// Starts a comparison if one is needed, and takes a finished one.
  void compare_in_background(const std::shared_ptr<const Holders>& before,
                             const std::shared_ptr<const Holders>& after,
                             bool folds);
  void graph(const Desk& desk);
  void table(const Desk& desk);
  static void row(const Desk& desk, const ComparisonRow& row);
  void unchanged_row(const Desk& desk);

  std::function<void()> wake_;
  std::shared_ptr<const Holders> before_;
  std::shared_ptr<const Holders> after_;
  FlameView flame_;
  const CallTree* shown_tree_ = nullptr;  // Only to be compared with others.
  // Never null. Freed in the background: freeing one of 170,000 stacks took 0.3 s, many frames.
  std::unique_ptr<const Compared> compared_ = std::make_unique<const Compared>();
  bool folds_ = false;  // The comparison shown has folded trees.
  bool shows_unchanged_ = false;
  std::future<std::unique_ptr<const Compared>> coming_;
  std::future<void> going_;  // Frees the previous comparison.
};

}  // namespace tidemark::gui
