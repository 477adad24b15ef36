#include "analyzer/text/time_text.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tidemark::analyzer {
namespace {

struct TimeUnit {
  std::uint64_t ns;
  std::string_view name;
};

TimeUnit unit_for(std::uint64_t ns) {
  for (const TimeUnit unit :
       {TimeUnit{1'000'000'000, "s"}, TimeUnit{1'000'000, "ms"}, TimeUnit{1'000, "us"}}) {
    if (ns >= unit.ns) {
      return unit;
    }
  }
  return {1, "ns"};
}

}  // namespace

std::string precise_time(std::uint64_t ns, std::uint64_t step_ns, std::uint64_t highest_ns) {
  if (ns == 0) {
    return "0";
  }
  const TimeUnit unit = unit_for(highest_ns);
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
    return format_exact_time(begin_ns) + " to " + format_exact_time(end_ns);
  }
  const std::uint64_t step = std::max<std::uint64_t>(span / kSteps, 1);
  return precise_time(begin_ns, step, end_ns) + " to " + precise_time(end_ns, step, end_ns);
}

}  // namespace tidemark::analyzer
