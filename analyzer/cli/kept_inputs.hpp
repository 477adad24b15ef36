/// Makes sure that no output of a command overwrites one of its inputs.
#pragma once

#include "analyzer/cli/command_line.hpp"
#include "collector/trace/types/result.hpp"

namespace tidemark::cli {

/// Call before anything is read or written. Files are the same when device and inode are, so
/// symbolic and hard links to an input are seen.
/// @return kUsage with one sentence if an output of `command` is one of its inputs.
Status keeps_its_inputs(const Command& command);

}  // namespace tidemark::cli
