/// The part of a forest that a page names, as JSON.
#pragma once

#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

/// Drops what no stack of `nodes` grows through, and renumbers the nodes where they stand: a page
/// must not carry the names of what it never shows.
/// @return {strings, frames: [[name, function, file, line, module, flags, file's name]], parent,
///     frame, asker}; texts are indices into `strings`. Flags: 1 is plumbing, 2 needs its file's
///     name beside its own, which would be a tenth of the page if it were written out. The file's
///     name is left out where it is the path's last part. `parent` and those behind it are by node,
///     packed: `asker` says how many functions up stands the one that asked, of nodes in which a
///     stack ends.
analyzer::Json forest_document(const StackForest& forest, const std::vector<std::uint32_t*>& nodes);

}  // namespace tidemark::html
