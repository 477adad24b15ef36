/// How fast a long trace is read, to the exact peak.
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/profiler.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::bench {

struct ReadingCost {
  double events = 0;
  double wall_ns = 0;         ///< Median.
  std::uint64_t max_rss = 0;  ///< Bytes, the most of any round.
  double bytes_per_event = 0;

  [[nodiscard]] double events_per_second() const { return events / wall_ns * 1e9; }
};

/// `tidemark report --format json` over a recorded pair_loop.
std::optional<ReadingCost> measure_reading(const Workshop& workshop, const Options& options);

/// What one verb takes over a long trace.
struct VerbCost {
  double wall_ns = 0;         ///< Median.
  double cpu_ns = 0;          ///< Median, of all threads.
  std::uint64_t max_rss = 0;  ///< Bytes, the most of any round.
};

struct TouchedCost {
  double events = 0;
  VerbCost report;
  VerbCost diff;  ///< Of the trace with itself: both sides are read.
};

/// The verbs over a generated trace with reads and copies in every block of events, so that each
/// block must be decoded.
std::optional<TouchedCost> measure_touched(const Workshop& workshop, const Options& options);

}  // namespace tidemark::bench
