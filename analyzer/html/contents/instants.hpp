/// The instants of a load whose live sets a page can show.
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
  bool is_peak = false;  ///< The whole load's peak; true for exactly one.
};

/// The peak, the instant asked for with --at, the begin of the load, the instants of findings, the
/// begins and ends of phases, the highest instants of equal stretches of the load, those after the
/// first falls behind the peak, and a grid over its time and over its events; or all instants if
/// there are few. In order of their positions, without repetition, at most about 80. Empty for a
/// trace without events.
std::vector<StoredInstant> choose_instants(analyzer::LoadedTrace& trace,
                                           const analyzer::Report& report);

/// The instant after the first `events` events of the trace.
analyzer::Instant instant_after(analyzer::LoadedTrace& trace, std::uint64_t events);

}  // namespace tidemark::html
