/// What two traces hold, stack by stack: flame graph and table.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/flame_view.hpp"
#include "gui/view/trees/comparison.hpp"
#include "gui/view/trees/difference_tree.hpp"

#include <functional>
#include <future>
#include <memory>
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
    DifferenceTree from_callers;
    DifferenceTree from_askers;
  };
  /// Starts a comparison where one is needed, and takes the last one where it is ready.
  void compare_in_background(const std::shared_ptr<const Holders>& before,
                             const std::shared_ptr<const Holders>& after);
  void graph(const Desk& desk);
  void table(const Desk& desk);
  static void row(const Desk& desk, const ComparisonRow& row);
  void unchanged_row(const Desk& desk, std::size_t first);

  std::function<void()> wake_;
  std::shared_ptr<const Holders> before_;
  std::shared_ptr<const Holders> after_;
  FlameView flame_;
  Compared compared_;
  bool shows_unchanged_ = false;
  std::future<Compared> coming_;
};

}  // namespace tidemark::gui
