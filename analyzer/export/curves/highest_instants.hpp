/// The instants that a picture of few points must show.
#pragma once

#include "analyzer/export/curves/time_span.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::exports {

struct FootprintInstant {
  analyzer::Instant at;
  std::uint64_t footprint_bytes = 0;
};

/// The first instant of the highest footprint in each of `count` equal stretches of the span, in
/// order of time; none for a stretch in which nothing happened. Exact: only blocks that cross a
/// border are decoded; for others the summary is enough.
std::vector<FootprintInstant> highest_instants(analyzer::LoadedTrace& trace,
                                               const TimeSpan& span,
                                               std::size_t count);

}  // namespace tidemark::exports
