#include "gui/view/timeline/axis_ticks.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

/// 1, 2, 5, 10, 20, 50, ... ns: the first at or after `least`.
std::uint64_t step_from(double least) {
  std::uint64_t power = 1;
  while (static_cast<double>(power) * 5 < least && power < UINT64_MAX / 100) {
    power *= 10;
  }
  for (const std::uint64_t factor : {1U, 2U, 5U}) {
    if (static_cast<double>(power * factor) >= least) {
      return power * factor;
    }
  }
  return power * 10;
}

std::vector<picture::AxisTick> time_ticks_in_view(const ViewRange& range,
                                                  std::uint64_t axis_ns,
                                                  std::size_t most) {
  const auto all = static_cast<double>(axis_ns);
  const std::uint64_t step =
      step_from(range.width() * all / static_cast<double>(std::max<std::size_t>(most, 1)));
  const auto highest = static_cast<std::uint64_t>(range.end * all);
  std::vector<picture::AxisTick> ticks;
  auto ns =
      static_cast<std::uint64_t>(std::ceil(range.begin * all / static_cast<double>(step))) * step;
  for (; static_cast<double>(ns) <= range.end * all; ns += step) {
    ticks.push_back({static_cast<double>(ns) / all, precise_time(ns, step, highest)});
  }
  return ticks;
}

}  // namespace

std::string range_text(std::uint64_t begin_ns, std::uint64_t end_ns) {
  return "from " + begin_to_end(begin_ns, end_ns) + ", " +
         analyzer::format_exact_time(end_ns - std::min(begin_ns, end_ns));
}

std::vector<picture::AxisTick> ticks_in_view(const picture::Axis& axis,
                                             picture::Align align,
                                             const ViewRange& range,
                                             std::uint64_t axis_ns,
                                             std::size_t most) {
  const bool counts_time =
      align == picture::Align::kTime || (align == picture::Align::kPhase && axis.warps.size() < 2);
  if (counts_time) {
    return time_ticks_in_view(range, axis_ns, most);
  }
  std::vector<picture::AxisTick> ticks;
  for (const picture::AxisTick& tick : axis.ticks) {
    if (tick.x >= range.begin && tick.x <= range.end) {
      ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace tidemark::gui
