/// What two traces hold, stack by stack.
#pragma once

#include "gui/app/desk.hpp"
#include "gui/view/comparison.hpp"

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
  using Rows = std::vector<ComparisonRow>;
  /// Starts a comparison where one is needed, and takes the last one where it is ready.
  void compare_in_background(const std::shared_ptr<const Holders>& before,
                             const std::shared_ptr<const Holders>& after);
  void table(const Desk& desk);

  std::function<void()> wake_;
  std::shared_ptr<const Holders> before_;
  std::shared_ptr<const Holders> after_;
  Rows rows_;
  std::future<Rows> coming_;
};

}  // namespace tidemark::gui
