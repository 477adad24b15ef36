#include "gui/view/basics/range_history.hpp"

#include <cmath>

namespace tidemark::gui {
namespace {

/// Less than a pixel of any screen apart.
bool look_same(const ViewRange& one, const ViewRange& other) {
  const double least = 1e-4 * one.width();
  return std::abs(one.begin - other.begin) < least && std::abs(one.end - other.end) < least;
}

}  // namespace

void RangeHistory::note(const ViewRange& range) {
  if (!ranges_.empty() && look_same(ranges_[at_], range)) {
    return;
  }
  if (!ranges_.empty()) {
    ranges_.resize(at_ + 1);
  }
  ranges_.push_back(range);
  if (ranges_.size() > kMaxRanges) {
    ranges_.erase(ranges_.begin());
  }
  at_ = ranges_.size() - 1;
}

std::optional<ViewRange> RangeHistory::back() {
  return at_ > 0 ? std::optional(ranges_[--at_]) : std::nullopt;
}

std::optional<ViewRange> RangeHistory::forward() {
  return at_ + 1 < ranges_.size() ? std::optional(ranges_[++at_]) : std::nullopt;
}

}  // namespace tidemark::gui
