/// No output of a command takes the place of what the command reads.
#pragma once

#include "analyzer/cli/command_line.hpp"
#include "collector/trace/types/result.hpp"

namespace tidemark::cli {

/// To be asked before anything is read or written. Files are the same when device and inode are, so
/// symbolic and hard links to an input are seen.
/// @return kUsage, in a sentence, where an output of `command` is one of its inputs.
Status keeps_its_inputs(const Command& command);

}  // namespace tidemark::cli
