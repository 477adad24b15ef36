#include "gui/view/basics/range_ends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidemark::gui {
namespace {

struct Snap {
  double x = 0;
  double off = std::numeric_limits<double>::infinity();  // How far it moved; infinite: not.
};

Snap nearest(double x, std::span<const RangeMark> marks, double RangeMark::*place, double reach) {
  Snap peak{x};
  Snap border{x};
  for (const RangeMark& mark : marks) {
    Snap& best = mark.is_peak ? peak : border;
    const double off = std::abs(mark.*place - x);
    if (off <= (mark.is_peak ? reach : reach / 2) && off < best.off) {
      best = {mark.*place, off};
    }
  }
  return std::isfinite(peak.off) ? peak : border;
}

}  // namespace

double first_x_at(const picture::Warp& warp, std::uint64_t ns) {
  // The axis is coarser than the clock.
  const double x = warp.x_of(ns);
  return warp.ns_at(x) < ns ? warp.x_of(ns + 1) : x;
}

std::vector<RangeMark> range_marks(const picture::Subject& subject, const picture::Warp& warp) {
  std::vector<RangeMark> marks;
  const std::uint64_t peak = subject.peak_at.at_ns;
  marks.push_back({first_x_at(warp, peak + 1), first_x_at(warp, peak), true});
  for (const analyzer::Phase& phase : subject.phases) {
    for (const std::uint64_t ns : {phase.begin_ns, phase.end_ns}) {
      const double x = first_x_at(warp, ns);
      marks.push_back({x, x, false});
    }
  }
  return marks;
}

ViewRange snapped(const ViewRange& range, std::span<const RangeMark> marks, double reach) {
  const Snap begin = nearest(range.begin, marks, &RangeMark::begin, reach);
  const Snap end = nearest(range.end, marks, &RangeMark::end, reach);
  if (begin.x < end.x) {
    return {begin.x, end.x};
  }
  const ViewRange one =
      begin.off <= end.off ? ViewRange{begin.x, range.end} : ViewRange{range.begin, end.x};
  return one.begin < one.end ? one : range;
}

ViewRange behind_peak(const picture::Subject& subject,
                      const picture::Warp& warp,
                      std::uint64_t length_ns) {
  const std::uint64_t peak = subject.peak_at.at_ns;
  return {first_x_at(warp, peak + 1), first_x_at(warp, peak + length_ns)};
}

}  // namespace tidemark::gui
