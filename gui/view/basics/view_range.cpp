#include "gui/view/basics/view_range.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {

ViewRange kept_on_axis(ViewRange range) {
  const double width = std::min(range.width(), 1.0);
  const double begin = std::clamp(range.begin, 0.0, 1.0 - width);
  return {begin, std::min(begin + width, 1.0)};
}

ViewRange zoomed(const ViewRange& range, double at, double factor, double narrowest) {
  const double width = std::clamp(range.width() * factor, std::min(narrowest, 1.0), 1.0);
  const double begin = at - range.share_of(at) * width;
  return kept_on_axis({begin, begin + width});
}

ViewRange panned(const ViewRange& range, double by) {
  return kept_on_axis({range.begin + by, range.end + by});
}

void Glide::step(double seconds) {
  constexpr double kNineTenths = 0.12;
  constexpr double kArrived = 1e-3;
  const double rest = std::pow(0.1, seconds / kNineTenths);
  now_ = {goal_.begin + (now_.begin - goal_.begin) * rest,
          goal_.end + (now_.end - goal_.end) * rest};
  // Too close to see the difference, at any zoom.
  const double off = std::abs(now_.begin - goal_.begin) + std::abs(now_.end - goal_.end);
  if (off < kArrived * goal_.width()) {
    now_ = goal_;
  }
}

}  // namespace tidemark::gui
