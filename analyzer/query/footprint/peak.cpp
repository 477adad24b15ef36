#include "analyzer/query/footprint/peak.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

Instant highest_instant(const LoadedTrace& trace) {
  const auto blocks = trace.blocks();
  const auto highest =
      std::ranges::max_element(blocks, {}, &trace::BlockSummary::maximum_footprint);
  if (highest == blocks.end()) {
    return {};
  }
  const bool before_first = highest->maximum_at_event == trace::BlockSummary::kBeforeFirst;
  return Instant{.block = static_cast<std::size_t>(highest - blocks.begin()),
                 .events = before_first ? 0 : highest->maximum_at_event + 1,
                 .at_ns = highest->maximum_at_ns};
}

}  // namespace

Peak find_peak(LoadedTrace& trace) {
  Peak peak;
  if (trace.blocks().empty()) {
    return peak;
  }
  peak.at = highest_instant(trace);
  const trace::BlockSummary& block = trace.blocks()[peak.at.block];
  peak.footprint_bytes = block.maximum_footprint;
  const auto lanes = trace.totals_at(peak.at);
  peak.lanes = lanes.value_or(block.at_begin);
  peak.lanes_exact = lanes.has_value() && peak.lanes.footprint() == peak.footprint_bytes;
  return peak;
}

trace::LaneTotals find_lane_peaks(const LoadedTrace& trace) {
  trace::LaneTotals peaks;
  for (const trace::BlockSummary& block : trace.blocks()) {
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      peaks.bytes[lane] = std::max(peaks.bytes[lane], block.maximum.bytes[lane]);
    }
  }
  return peaks;
}

}  // namespace tidemark::analyzer
