/// How memory was asked for over the whole run: what `report --by` lists.
#pragma once

#include "analyzer/report/usage_table.hpp"
#include "gui/app/panes/desk.hpp"

#include <memory>
#include <optional>

namespace tidemark::gui {

class UsagePane {
 public:
  /// Into the rest of the current ImGui child. @return the stack of the row that was clicked.
  std::optional<StackAt> show(const Desk& desk);

 private:
  std::optional<StackAt> table(const Desk& desk);
  std::optional<StackAt> row(const Desk& desk, std::size_t number);
  [[nodiscard]] double share_of(std::size_t number) const;

  std::shared_ptr<const analyzer::ReportUsage> shown_;  // What `lines_` was made from.
  analyzer::UsageLines lines_;
};

}  // namespace tidemark::gui
