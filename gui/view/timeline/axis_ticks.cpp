#include "gui/view/timeline/axis_ticks.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tidemark::gui {
namespace {

struct Unit {
  std::uint64_t ns;
  std::string_view name;
};

Unit unit_for(std::uint64_t ns) {
  for (const Unit unit : {Unit{1'000'000'000, "s"}, Unit{1'000'000, "ms"}, Unit{1'000, "us"}}) {
    if (ns >= unit.ns) {
      return unit;
    }
  }
  return {1, "ns"};
}

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

std::string precise_time(std::uint64_t ns, std::uint64_t step_ns, std::uint64_t highest_ns) {
  if (ns == 0) {
    return "0";
  }
  const Unit unit = unit_for(highest_ns);
  int decimals = 0;
  for (std::uint64_t each = unit.ns; each > step_ns && decimals < 9; each /= 10) {
    ++decimals;
  }
  return fmt::format("{:.{}f} {}", static_cast<double>(ns) / static_cast<double>(unit.ns), decimals,
                     unit.name);
}

std::string begin_to_end(std::uint64_t begin_ns, std::uint64_t end_ns) {
  constexpr std::uint64_t kMuchTheSame = 20;  // A span of that part of its end.
  constexpr std::uint64_t kSteps = 100;
  const std::uint64_t span = end_ns - std::min(begin_ns, end_ns);
  if (span == 0 || span >= end_ns / kMuchTheSame) {
    return analyzer::format_exact_time(begin_ns) + " to " + analyzer::format_exact_time(end_ns);
  }
  const std::uint64_t step = std::max<std::uint64_t>(span / kSteps, 1);
  return precise_time(begin_ns, step, end_ns) + " to " + precise_time(end_ns, step, end_ns);
}

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
