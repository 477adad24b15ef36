/// The part of a forest that a page names, as JSON.
#pragma once

#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

/// Drops what no stack of `nodes` grows through, and renumbers the nodes where they stand: a page
/// must not carry the names of what it never shows.
/// @return {strings, frames: [[name, function, file, line, module, flags]], parent, frame}; texts
///     are indices into `strings`, flags 1 for plumbing, 2 for a frame without a name, 4 for an
///     entry point and 8 for an allocator. `parent` and `frame` are by node, packed.
analyzer::Json forest_document(const StackForest& forest, const std::vector<std::uint32_t*>& nodes);

}  // namespace tidemark::html
