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

void LargeBlocks::release(std::uint64_t address,
                          trace::AllocationNumber allocation,
                          std::uint64_t at_ns) {
  const auto block = by_begin_.find(address);
  if (block == by_begin_.end() || block->second.allocation != allocation)
    return;
  if (watched_ns_ != 0 && block->second.looked_ns == watched_ns_)
    released_.emplace(allocation, at_ns);
  by_begin_.erase(block);
}

bool LargeBlocks::was_there(std::uint64_t address,
                            trace::AllocationNumber allocation,
                            std::uint64_t ns) const {
  const auto block = by_begin_.find(address);
  if (block != by_begin_.end() && block->second.allocation == allocation)
    return true;
  const auto released = released_.find(allocation);
  return released != released_.end() && released->second > ns;
}

void LargeBlocks::look_soon(std::uint64_t address, trace::AllocationNumber allocation) {
  const auto block = by_begin_.find(address);
  if (block != by_begin_.end() && block->second.allocation == allocation)
    block->second.pause_ns = 0;
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
