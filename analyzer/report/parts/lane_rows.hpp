/// The memory table of a report, whatever it is printed as.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <string>
#include <vector>

namespace tidemark::analyzer {

struct LaneRow {
  std::string name;     ///< Indented by two spaces when it is a part of the row above.
  std::string highest;  ///< Its own maximum.
  std::string at_peak;  ///< Empty for sampled values: no sample is at that exact instant.
  std::string meaning;
};

/// False when the recording has no samples, so that nothing is known of resident memory.
bool was_sampled(const Report& report);

/// The exact lanes, then what was sampled.
std::vector<LaneRow> lane_rows(const Report& report);

}  // namespace tidemark::analyzer
