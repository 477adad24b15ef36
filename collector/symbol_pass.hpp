/// After the run: names for every frame that the trace holds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "collector/drain/stack_map.hpp"
#include "collector/trace/writer.hpp"

namespace tidemark {

/// Looks up function, file, line and inlined calls of all frames, module by module, and writes them.
/// Frames without a name stay module and offset.
/// @param progress told (what, done, of how many) now and then; may be empty.
void resolve_symbols(trace::TraceWriter& writer,
                     const StackStore& stacks,
                     const std::function<void(const std::string&, std::size_t, std::size_t)>& progress);

}  // namespace tidemark
