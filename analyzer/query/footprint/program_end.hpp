/// The end of the recorded program: when it began to take itself down, and when its memory went.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// The last instant, in ns, at which the program still held what it never freed. The program is the
/// first process, with its last image. If its end is not in the trace: the end of the recording.
/// Decodes blocks from the last one back to that end.
std::uint64_t program_end_ns(LoadedTrace& trace);

/// The first allocation from which on the process with the highest footprint asks for memory only
/// below `exit` (its handlers, destructors of globals) or the end of an interpreter, in ns; none
/// where nothing was asked for there, as a release has no stack. Decodes blocks from the last one
/// back to that instant.
std::optional<std::uint64_t> program_shutdown_ns(LoadedTrace& trace);

}  // namespace tidemark::analyzer
