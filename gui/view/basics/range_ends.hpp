/// Where the ends of a range that somebody drags come to rest by themselves.
#pragma once

#include "analyzer/picture/subject.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::gui {

/// An instant that a range is likely meant to begin or to end at, as two places on the axis: what
/// happens at a range's ends is part of it.
struct RangeMark {
  double begin = 0;  ///< Of a range that begins there.
  double end = 0;    ///< Of one that ends there.
  bool is_peak = false;
};

/// A place on the axis whose instant is `ns`, or as little later as the axis can tell apart.
double first_x_at(const picture::Warp& warp, std::uint64_t ns);

/// The peak, and the borders of phases. A range that begins at the peak has it behind itself, and
/// begins with all that is held then; one that ends there has it in it.
std::vector<RangeMark> range_marks(const picture::Subject& subject, const picture::Warp& warp);

/// Each end at the nearest mark within `reach` of it, which is a share of the axis: at the peak
/// first, at the border of a phase within half of that. Where both would lie at one mark, or change
/// places, the nearer one does.
ViewRange snapped(const ViewRange& range, std::span<const RangeMark> marks, double reach);

/// From the peak to `length_ns` behind it, or to the end of the trace.
ViewRange behind_peak(const picture::Subject& subject,
                      const picture::Warp& warp,
                      std::uint64_t length_ns);

}  // namespace tidemark::gui
