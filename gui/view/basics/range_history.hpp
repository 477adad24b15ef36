/// The ranges that were looked at, to go back and forward through.
#pragma once

#include "gui/view/basics/view_range.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::gui {

class RangeHistory {
 public:
  /// A range at which the view has come to rest. What was left by going back is forgotten.
  void note(const ViewRange& range);
  /// None: there is nothing further. What they return is not noted again.
  std::optional<ViewRange> back();
  std::optional<ViewRange> forward();

 private:
  static constexpr std::size_t kMaxRanges = 200;

  std::vector<ViewRange> ranges_;  // Up to `at_` those before; behind it those that were left.
  std::size_t at_ = 0;             // The one in view.
};

}  // namespace tidemark::gui
