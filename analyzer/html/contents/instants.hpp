/// Which instants of a load a page can show the live set of.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::html {

struct StoredInstant {
  analyzer::Instant at;
  std::string label;     ///< `the peak`, `the end of phase read`; empty: one among many.
  bool is_peak = false;  ///< Of the whole load; true for exactly one.
};

/// The peak, the instant asked for with --at, the begin of the load, what the findings are about,
/// begins and ends of phases, the highest instants of equal stretches of the load, those behind the
/// first falls after the peak, and a grid over its time and over its events; all instants there are
/// when those are few. In order of their positions, no position twice, about 80 at most. Empty for
/// a trace without events.
std::vector<StoredInstant> choose_instants(analyzer::LoadedTrace& trace,
                                           const analyzer::Report& report);

/// The instant after the first `events` events of the trace.
analyzer::Instant instant_after(analyzer::LoadedTrace& trace, std::uint64_t events);

}  // namespace tidemark::html
