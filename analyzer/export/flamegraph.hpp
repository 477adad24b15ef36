/// A flame graph that any browser opens: one SVG, without script.
#pragma once

#include "analyzer/export/stacks/stack_values.hpp"
#include "collector/trace/types/definitions.hpp"

#include <string>

namespace tidemark::exports {

/// Rows from the outermost frame, a lane, down; a frame is as wide as its share of the bytes, in
/// percent of the window's width, so that text keeps its size on any screen. File mappings are left
/// out. @param smallest_share as StackTree::fold.
std::string flamegraph_svg(const trace::Definitions& definitions,
                           const StackTable& table,
                           double smallest_share = 0);

}  // namespace tidemark::exports
