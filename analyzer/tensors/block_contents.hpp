/// What each block holds of the weights, in words.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Bytes of a tensor in a block.
struct TensorPart {
  trace::TensorId tensor{0};
  std::uint64_t bytes = 0;
};

/// By allocation, those of each block in the order of the block, as the trace's origins say. A
/// tensor that is in a block twice is there twice.
std::unordered_map<trace::AllocationNumber, std::vector<TensorPart>> tensors_by_block(
    const trace::Definitions& definitions);

/// `model/wte`, `part of model/wte`, `24 tensors, const_0 to const_23`; empty for no parts.
std::string content_text(const trace::Definitions& definitions,
                         const std::vector<TensorPart>& parts);
/// `model/wte, f16: 98.2 MiB`, `... 42.0 MiB of 98.2 MiB`.
std::string part_text(const trace::Definitions& definitions, const TensorPart& part);

}  // namespace tidemark::analyzer
