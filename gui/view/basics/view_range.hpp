/// The part of the horizontal axis that is in view, and how it moves.
#pragma once

#include "analyzer/picture/warp.hpp"

namespace tidemark::gui {

using ViewRange = picture::AxisRange;

/// The range moved onto the axis, its width unchanged.
ViewRange kept_on_axis(ViewRange range);

/// Zooms about `at`, which stays where it is on the screen as far as the ends of the axis allow.
/// `factor` < 1 zooms in; the result is never narrower than `narrowest`.
ViewRange zoomed(const ViewRange& range, double at, double factor, double narrowest);

/// Moved by a share of the axis, up to its ends.
ViewRange panned(const ViewRange& range, double by);

/// The range in view while it glides to its goal.
class Glide {
 public:
  explicit Glide(const ViewRange& at = {}) : now_(at), goal_(at) {}

  void go_to(const ViewRange& goal) { goal_ = goal; }
  void jump_to(const ViewRange& goal) { now_ = goal_ = goal; }
  /// Advances by `seconds`. Nine tenths of the way take 120 ms.
  void step(double seconds);

  [[nodiscard]] const ViewRange& now() const { return now_; }
  [[nodiscard]] const ViewRange& goal() const { return goal_; }
  [[nodiscard]] bool is_moving() const { return now_ != goal_; }

 private:
  ViewRange now_;
  ViewRange goal_;
};

}  // namespace tidemark::gui
