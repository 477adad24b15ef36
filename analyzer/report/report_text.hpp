/// The report for people.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

/// Lines of at most `style.width` columns. Every number of bytes that could be too low because
/// something was lost stands under a line that says so.
std::string report_text(const Report& report, const TextStyle& style);

/// The footprint over time in characters, of a report with a timeline: one column each.
std::string footprint_curve(const Report& report, const TextStyle& style);

}  // namespace tidemark::analyzer
