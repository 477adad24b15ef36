/// The highest footprint of a session.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>

namespace tidemark::analyzer {

struct Peak {
  std::uint64_t footprint_bytes = 0;
  Instant at;  ///< The first instant with that footprint.
  trace::LaneTotals lanes;
  /// False when the block that holds the peak is damaged: the footprint still is exact (it is in
  /// the summary), but `lanes` are those before that block.
  bool lanes_exact = true;
};

/// Exact, and from the block summaries: one block is decoded, to know the lanes at the peak.
Peak find_peak(LoadedTrace& trace);

/// The exact maximum of each lane, each at its own instant; nothing is decoded.
trace::LaneTotals find_lane_peaks(const LoadedTrace& trace);

}  // namespace tidemark::analyzer
