#include "collector/drain/tables/large_blocks.hpp"

#include <iterator>

namespace tidemark {

void LargeBlocks::insert(std::uint64_t address,
                         std::uint64_t size,
                         trace::AllocationNumber allocation,
                         bool is_window) {
  by_begin_[address] = {.size = size, .allocation = allocation, .is_window = is_window};
}

void LargeBlocks::erase(std::uint64_t address, trace::AllocationNumber allocation) {
  const auto block = by_begin_.find(address);
  if (block != by_begin_.end() && block->second.allocation == allocation)
    by_begin_.erase(block);
}

std::optional<LargeBlocks::Found> LargeBlocks::find(std::uint64_t address) const {
  const auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin())
    return std::nullopt;
  const auto& [begin, block] = *std::prev(after);
  if (address - begin >= block.size)
    return std::nullopt;
  return Found{block.allocation, begin, block.size};
}

}  // namespace tidemark
