/// Events in blocks without even a summary.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

namespace tidemark::analyzer {

/// Whether events are lost together with their block's summary, so that even their highest values
/// are unknown. Decodes all blocks if any are damaged.
bool lost_a_summary(LoadedTrace& trace);

}  // namespace tidemark::analyzer
