/// Makes sure that no output of a command overwrites one of its inputs.
#pragma once

#include "analyzer/cli/command_line.hpp"
#include "collector/trace/types/result.hpp"

namespace tidemark::cli {

/// Call before anything is read or written. What an input names in turn is not known yet.
/// @return as `keeps_files`, of the files that the arguments of `command` name.
Status keeps_its_inputs(const Command& command);

}  // namespace tidemark::cli
