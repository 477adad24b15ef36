/// Blocks with the same values, or these rounded to a narrower type of float, that no file
/// explains: it is compressed, or in a format without a reader here.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::weights {

/// Times are those of trace::Alike. `sample` stays borrowed.
struct SeenBlock {
  const BlockSample* sample = nullptr;
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;
  trace::ProcessId process{0};
  std::uint64_t address = 0;
};

/// Ignores values that are all over the heap (zeros, a fill). If there are more than 16,384 blocks,
/// compares the largest. Uses some kilobytes a block.
/// @return groups of two and more, as FORMAT.md says, in the order of their blocks.
std::vector<trace::Alike> find_alike(std::vector<SeenBlock> seen);

}  // namespace tidemark::weights
