/// A trace of Perfetto, for https://ui.perfetto.dev and trace_processor.
#pragma once

#include "analyzer/export/curves/time_span.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <string>

namespace tidemark::exports {

/// Counters of every lane, of the footprint and of resident memory, and of how much of the model's
/// files was read; marked phases as slices of their thread, inferred ones beside them; the peak as
/// an instant; and stacks as heap profiles, one a lane, at the peak and before the program ended.
/// Goes through every event until then, to count also what was freed.
/// @return what analyzer::build_report says.
Result<std::string> perfetto_trace(analyzer::LoadedTrace& trace, const TimeSpan& span);

}  // namespace tidemark::exports
