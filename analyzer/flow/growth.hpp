/// Buffers that grew step by step, as a container does that is appended to.
#pragma once

#include "analyzer/flow/flow_index.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// True for the final block of such a buffer: after at least three steps, by realloc or by moving;
/// or two moves, each to at least 1.5 times the size, if the first block was released before the
/// last one was allocated.
bool is_grown(const FlowIndex& flow, std::uint32_t life);

/// The larger block that the contents of this one moved to, if this is the old block of a container
/// that grows: one stack asked for both, and the old one was freed before the new one was read into
/// or copied on. BlockLife::kNone if it is none.
std::uint32_t outgrown_by(const FlowIndex& flow, std::uint32_t life);

/// All the blocks that it moved through, `last` first.
std::vector<std::uint32_t> grown_through(const FlowIndex& flow, std::uint32_t last);

}  // namespace tidemark::analyzer
