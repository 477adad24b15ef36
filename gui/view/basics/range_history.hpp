/// The history of ranges in view, for going back and forward.
#pragma once

#include "gui/view/basics/view_range.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::gui {

class RangeHistory {
 public:
  /// Adds a range at which the view has come to rest. Forgets the ranges that could be gone forward
  /// to.
  void note(const ViewRange& range);
  /// None at the end of the history. `note` ignores the range returned.
  std::optional<ViewRange> back();
  std::optional<ViewRange> forward();

 private:
  static constexpr std::size_t kMaxRanges = 200;

  std::vector<ViewRange> ranges_;  // Before `at_`: to go back to; after it: forward.
  std::size_t at_ = 0;             // The one in view.
};

}  // namespace tidemark::gui
