/// Buffers that grew step by step, as a container does that is appended to.
#pragma once

#include "analyzer/flow/flow_index.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// True for the block that such a buffer ended in. In three steps at least, by realloc or by
/// moving; or in two by moving, each by half as much again or more, where the first block had gone
/// before the last one came.
bool is_grown(const FlowIndex& flow, std::uint32_t life);

/// All the blocks that it moved through, `last` first.
std::vector<std::uint32_t> grown_through(const FlowIndex& flow, std::uint32_t last);

}  // namespace tidemark::analyzer
