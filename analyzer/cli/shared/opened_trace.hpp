/// The traces that a verb reads.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>

namespace tidemark::cli {

/// With the names that a killed collector left out. @return as LoadedTrace::open.
Result<analyzer::LoadedTrace> open_trace(const std::string& path);

/// @param frames one of the words of --frames.
void show_frames(analyzer::LoadedTrace& trace, const std::string& frames);

/// `load.tmk: missing from the trace: 17 dropped records`, or nothing for a whole trace. Damage is
/// met while reading: to be asked last.
std::string loss_sentence(const analyzer::LoadedTrace& trace, const std::string& path);

/// True for text and markdown on standard output, which say themselves what was lost.
bool is_read_at_once(const std::string& format, const std::string& output);

/// A time of the run, in ns since its start. What reads as the end is the end, rounded as it may
/// be.
/// @return kUsage, with the option's name, for what is no time and for one behind the end.
Result<std::uint64_t> time_in_run(const analyzer::LoadedTrace& trace,
                                  const std::string& option,
                                  const std::string& text);

}  // namespace tidemark::cli
