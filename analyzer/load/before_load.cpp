#include "analyzer/load/before_load.hpp"

#include "analyzer/query/live/live_set.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// Less than this part of the peak is not worth a word.
constexpr std::uint64_t kWorthSayingPart = 20;

/// Not the first read: buffers for it are a part of the load.
std::uint64_t first_opening(std::span<const FileUse> files) {
  std::uint64_t first_ns = UINT64_MAX;
  for (const FileUse& file : files) {
    first_ns = std::min(first_ns, file.opened_ns.value_or(UINT64_MAX));
  }
  return first_ns;
}

std::uint64_t came_between(LoadedTrace& trace, const Instant& from, const Instant& to) {
  std::uint64_t bytes = 0;
  for (const LiveStack& stack : kept_stacks(trace, from, to)) {
    bytes += trace::in_footprint(stack.lane) ? stack.bytes : 0;
  }
  return bytes;
}

}  // namespace

std::optional<BeforeLoad> find_before_load(LoadedTrace& trace,
                                           const Peak& peak,
                                           std::span<const FileUse> model_files) {
  const std::uint64_t at_ns = first_opening(model_files);
  if (at_ns >= peak.at.at_ns) {
    return std::nullopt;
  }
  const Instant begin = trace.instant_at(at_ns);
  const auto totals = trace.totals_at(begin);
  if (!totals || totals->footprint() < peak.footprint_bytes / kWorthSayingPart ||
      totals->footprint() == 0) {
    return std::nullopt;
  }
  const std::uint64_t since = std::min(came_between(trace, begin, peak.at), peak.footprint_bytes);
  return BeforeLoad{.at_ns = at_ns,
                    .stood_bytes = totals->footprint(),
                    .at_peak_bytes = std::min(totals->footprint(), peak.footprint_bytes - since)};
}

}  // namespace tidemark::analyzer
