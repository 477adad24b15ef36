/// The file format of https://www.speedscope.app.
#pragma once

#include "analyzer/export/stacks/stack_values.hpp"

#include <string>

namespace tidemark::exports {

/// One sampled profile a lane that holds anything, in bytes; over a range three: kept, allocated
/// and freed. Stacks stand in the order of a flame graph, so that the time-order view shows one.
/// @param smallest_share of its lane; what holds less is folded, see StackTree::fold.
std::string speedscope_json(const trace::Definitions& definitions,
                            const StackTable& table,
                            double smallest_share = 0);

}  // namespace tidemark::exports
