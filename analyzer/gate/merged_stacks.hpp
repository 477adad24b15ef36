/// Stacks as a baseline knows them: functions, without lines.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <span>
#include <vector>

namespace tidemark::analyzer {

/// Stacks of the same functions in the same order as one, most bytes first; frames are those of the
/// largest. Lines, template arguments and addresses do not matter.
std::vector<ReportStack> merged_by_function(std::span<const ReportStack> stacks);

}  // namespace tidemark::analyzer
