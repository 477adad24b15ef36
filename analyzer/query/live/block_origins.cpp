#include "analyzer/query/live/block_origins.hpp"

#include <algorithm>
#include <iterator>

namespace tidemark::analyzer {

std::size_t block_of(const LoadedTrace& trace, trace::AllocationNumber allocation) {
  const auto blocks = trace.blocks();
  const auto after =
      std::ranges::upper_bound(blocks, allocation, {}, &trace::BlockSummary::first_allocation);
  return after == blocks.begin() ? 0 : static_cast<std::size_t>(after - blocks.begin()) - 1;
}

void BlockOrigins::seek(trace::AllocationNumber allocation, trace::AllocationNumber earlier) {
  sought_.emplace(earlier, allocation);
}

bool BlockOrigins::step() {
  if (sought_.empty() || trace_.blocks().empty()) {
    return false;
  }
  const std::size_t block = block_of(trace_, sought_.rbegin()->first);
  const auto* const events = trace_.events(block);
  for (std::size_t i = events == nullptr ? 0 : events->size(); i-- > 0 && !sought_.empty();) {
    see((*events)[i]);
  }
  // What should have begun in it and did not is missing from a damaged trace. Nothing is searched
  // for before the first block.
  const auto missing =
      block == 0 ? sought_.begin() : sought_.lower_bound(trace_.blocks()[block].first_allocation);
  sought_.erase(missing, sought_.end());
  return !sought_.empty();
}

const BlockOrigins::Origin* BlockOrigins::of(trace::AllocationNumber allocation) const {
  const auto found = origins_.find(allocation);
  return found == origins_.end() ? nullptr : &found->second;
}

void BlockOrigins::see(const trace::Event& event) {
  // Numbers only grow, so that the highest one sought is met first.
  const auto highest = std::prev(sought_.end());
  if (!trace::is_allocation(event.kind) || event.allocation > highest->first) {
    return;
  }
  const auto found = event.allocation == highest->first ? highest : sought_.find(event.allocation);
  if (found == sought_.end()) {
    return;
  }
  const trace::AllocationNumber block = found->second;
  sought_.erase(found);
  origins_[block] = {.first = event.allocation, .at_ns = event.at_ns, .thread = event.thread};
  // In an intact trace, an allocation was resized from one with a lower number.
  if (event.kind == trace::EventKind::kReallocate && event.released != trace::kNoAllocation &&
      event.released < event.allocation) {
    seek(block, event.released);
  }
}

}  // namespace tidemark::analyzer
