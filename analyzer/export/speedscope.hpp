/// The file format of https://www.speedscope.app.
#pragma once

#include "analyzer/export/stack_values.hpp"

#include <string>

namespace tidemark::exports {

/// One sampled profile a lane that holds anything, in bytes; over a range three: kept, allocated
/// and freed. Stacks stand in the order of a flame graph, so that the time-order view shows one.
std::string speedscope_json(const trace::Definitions& definitions, const StackTable& table);

}  // namespace tidemark::exports
