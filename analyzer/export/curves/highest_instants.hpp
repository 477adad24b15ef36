/// Where on the time axis a picture of few points must look.
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
/// border are decoded, of the others the summary knows.
std::vector<FootprintInstant> highest_instants(analyzer::LoadedTrace& trace,
                                               const TimeSpan& span,
                                               std::size_t count);

}  // namespace tidemark::exports
