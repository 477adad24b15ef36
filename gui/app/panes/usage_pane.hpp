/// How memory was asked for over the whole run: the lists of `report --by`, also by function.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/session/allocation_usage.hpp"

#include <memory>
#include <optional>

namespace tidemark::gui {

class UsagePane {
 public:
  /// Into the rest of the current ImGui child. @return the stack of the row that was clicked.
  std::optional<StackAt> show(const Desk& desk);

 private:
  static std::shared_ptr<const AllocationUsage> ask(const Desk& desk);
  void toolbar(const Desk& desk) const;
  std::optional<StackAt> table(const Desk& desk);
  std::optional<StackAt> row(const Desk& desk, std::size_t number);
  [[nodiscard]] double share_of(std::size_t number) const;

  std::shared_ptr<const AllocationUsage> shown_;  // In this frame.
};

}  // namespace tidemark::gui
