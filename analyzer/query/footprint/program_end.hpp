/// The end of the recorded program, before its memory goes with it.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>

namespace tidemark::analyzer {

/// The last instant, in ns, at which the program still held what it never freed. The program is the
/// first process, with its last image. If its end is not in the trace: the end of the recording.
/// Decodes blocks from the last one back to that end.
std::uint64_t program_end_ns(LoadedTrace& trace);

}  // namespace tidemark::analyzer
