/// Trace-event JSON, for https://ui.perfetto.dev and chrome://tracing.
#pragma once

#include "analyzer/export/parts/time_span.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <string>

namespace tidemark::exports {

/// Counters of every lane, of the footprint and of resident memory, and of how much of each large
/// file was read; marked phases as slices of their thread, found ones beside them; the peak as an
/// instant. A few MiB, whatever the length of the trace.
/// @return what analyzer::build_report says.
Result<std::string> perfetto_json(analyzer::LoadedTrace& trace, const TimeSpan& span);

}  // namespace tidemark::exports
