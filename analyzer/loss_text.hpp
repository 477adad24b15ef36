/// What is missing from a trace, in words.
#pragma once

#include "collector/trace/definitions.hpp"

#include <string>

namespace tidemark::analyzer {

/// True when any byte, event or process may be missing; cut stacks alone lose no byte.
bool loses_anything(const trace::Loss& loss);

/// True when what a recording knows at its end alone may be missing: peaks of processes, own costs.
bool loses_end(const trace::Loss& loss);

/// `nothing`, or everything that is missing, most important first, in one line.
std::string loss_text(const trace::Loss& loss);

/// The same as a sentence of its own: `missing from the trace: 17 dropped records`.
std::string describe_loss(const trace::Loss& loss);

}  // namespace tidemark::analyzer
