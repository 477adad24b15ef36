/// `tidemark check`: the gate.
#pragma once

#include "analyzer/cli/verbs/checking/check_options.hpp"

namespace tidemark::cli {

/// @return 0 all pass; 1 a regression; 2 usage, unreadable input, or an output that cannot be
/// written;
///     3 no regression, but one could hide in what the trace lost.
int run(const CheckCommand& command);

}  // namespace tidemark::cli
