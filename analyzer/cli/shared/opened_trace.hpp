/// The traces that a verb reads.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>

namespace tidemark::cli {

/// Opens a trace, and adds the names that a killed collector could not write. @return as
/// LoadedTrace::open.
Result<analyzer::LoadedTrace> open_trace(const std::string& path);

/// @param frames one of the words of --frames.
void show_frames(analyzer::LoadedTrace& trace, const std::string& frames);

/// `load.tmk: missing from the trace: 17 dropped records`, or nothing for a whole trace. Call it
/// last, since damage is found while reading.
std::string loss_sentence(const analyzer::LoadedTrace& trace, const std::string& path);

/// True for text and markdown on standard output, which contain what was lost.
bool is_read_at_once(const std::string& format, const std::string& output);

/// A time of the run, in ns since its start. A text that reads like the end, even rounded, is the
/// end.
/// @return kUsage, with the option's name, for a text that is no time and for a time after the end.
Result<std::uint64_t> time_in_run(const analyzer::LoadedTrace& trace,
                                  const std::string& option,
                                  const std::string& text);

}  // namespace tidemark::cli
