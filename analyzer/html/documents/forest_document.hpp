/// The part of a forest that a page names, as JSON.
#pragma once

#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

/// Keeps only what stacks of `nodes` go through, and renumbers `nodes` in place: a page must not
/// contain names that it never shows.
/// @return {strings, frames: [[name, function, file, line, module, flags, file's name]], parent,
///     frame, asker, native, shown}; texts are indices into `strings`. Flags: 1 is plumbing, 2
///     needs its file's name beside its own, which would be a tenth of the page if it were written
///     out, 4 is Python. The file's name is left out where it is the path's last part. `parent` and
///     those behind it are by node, packed: `asker` says how many functions up stands the one that
///     asked, of nodes in which a stack ends; `shown`, for each node but the root how many runs of
///     its stack follow, and how long each is: left out of a flame graph and shown, in turns, the
///     rest shown behind an odd number of them.
analyzer::Json forest_document(StackForest& forest, const std::vector<std::uint32_t*>& nodes);

}  // namespace tidemark::html
