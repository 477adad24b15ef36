/// Where the ends of a dragged range snap to.
#pragma once

#include "analyzer/picture/subject.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::gui {

/// An instant at which a dragged range is likely meant to begin or to end. The two places may
/// differ, since a range includes what happens at its ends.
struct RangeMark {
  double begin = 0;  ///< Where a range snaps to begin.
  double end = 0;    ///< Where a range snaps to end.
  bool is_peak = false;
};

/// The place on the axis for `ns`, or for the next later instant that the axis can resolve.
double first_x_at(const picture::Warp& warp, std::uint64_t ns);

/// The peak, and the borders of phases. A range that snaps to begin at the peak begins right after
/// it, with all that is held then; one that snaps to end at the peak includes it.
std::vector<RangeMark> range_marks(const picture::Subject& subject, const picture::Warp& warp);

/// Moves each end to the nearest mark within `reach`, a share of the axis: to the peak by
/// preference, to a phase's border only within half of `reach`. If both ends would meet or swap,
/// only the one nearer to its mark moves.
ViewRange snapped(const ViewRange& range, std::span<const RangeMark> marks, double reach);

/// From right after the peak to `length_ns` after it, or to the end of the trace.
ViewRange behind_peak(const picture::Subject& subject,
                      const picture::Warp& warp,
                      std::uint64_t length_ns);

}  // namespace tidemark::gui
