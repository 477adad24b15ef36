/// Events of which not even a summary is left.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

namespace tidemark::analyzer {

/// Whether events are gone together with their block's summary, so that even the highest values
/// over them are not known. Where any are damaged, all blocks are decoded.
bool lost_a_summary(LoadedTrace& trace);

}  // namespace tidemark::analyzer
