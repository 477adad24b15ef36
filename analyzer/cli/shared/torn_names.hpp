/// Names for the code in a trace whose collector was killed before it wrote them.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

namespace tidemark::cli {

/// Looks the frames of a torn trace up in this machine's files, where they are still the ones that
/// were recorded (by build id). Does nothing for a trace that was finished.
void name_torn_frames(analyzer::LoadedTrace& trace);

}  // namespace tidemark::cli
