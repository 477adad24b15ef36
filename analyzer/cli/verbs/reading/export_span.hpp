/// The instants of --at and --range of `tidemark export` in a trace.
#pragma once

#include "analyzer/export/curves/time_span.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <string>

namespace tidemark::cli {

/// From after `from` to `to`.
struct ExportRange {
  analyzer::Instant from;
  analyzer::Instant to;
};

/// `peak`, or a time of the run.
/// @return kUsage when the text is neither.
Result<analyzer::Instant> export_instant(analyzer::LoadedTrace& trace, const std::string& text);

/// `A..B`; without A from the start, without B to the end.
/// @return kUsage for anything else, and when B is not after A.
Result<ExportRange> export_range(analyzer::LoadedTrace& trace, const std::string& text);

/// The times of a range; all of the run for an empty text.
Result<exports::TimeSpan> export_span(analyzer::LoadedTrace& trace, const std::string& text);

}  // namespace tidemark::cli
