/// The exact lanes over time, as curves of few points.
#pragma once

#include "analyzer/export/curves/counter_points.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <array>
#include <vector>

namespace tidemark::exports {

struct LaneCurves {
  std::array<std::vector<CounterPoint>, trace::kLaneCount> lanes;
  std::vector<CounterPoint> footprint;
};

/// Extremes are exact. So are times, except within blocks too short to be resolved in a picture: of
/// those only the summary is read, so that the trace may have any length.
LaneCurves lane_curves(analyzer::LoadedTrace& trace, const TimeSpan& span);

}  // namespace tidemark::exports
