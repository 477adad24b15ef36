#include "analyzer/html/contents/folding.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tidemark::html {

void HeldStacks::apply(const LiveChange& change) {
  if (!trace::in_footprint(change.lane)) {
    return;  // File mappings are no part of the footprint.
  }
  const std::uint32_t node = planter_.plant(change.stack);
  if (held_.size() <= node) {
    held_.resize(forest_.nodes().size());
  }
  Held& held = held_[node][static_cast<std::size_t>(change.lane)];
  held.bytes += static_cast<std::uint64_t>(change.bytes);
  held.blocks += static_cast<std::uint64_t>(change.blocks);
  bytes_ += static_cast<std::uint64_t>(change.bytes);
}

/// The bytes of each node with all that grows from it.
std::vector<std::uint64_t> HeldStacks::branch_bytes() const {
  std::vector<std::uint64_t> bytes(held_.size());
  for (std::size_t node = held_.size(); node-- > 0;) {
    for (const Held& held : held_[node]) {
      bytes[node] += held.bytes;
    }
    if (node > 0) {
      bytes[forest_.nodes()[node].parent] += bytes[node];
    }
  }
  return bytes;
}

std::vector<FoldedStack> HeldStacks::folded(std::uint64_t least_bytes) const {
  const auto branches = branch_bytes();
  // Where each node's stacks are listed: at itself, or at the next ancestor that holds enough.
  std::vector<std::uint32_t> listed_at(held_.size());
  for (std::uint32_t node = 1; node < held_.size(); ++node) {
    listed_at[node] = branches[node] < least_bytes ? listed_at[forest_.nodes()[node].parent] : node;
  }
  std::map<std::tuple<std::uint32_t, std::size_t, bool>, FoldedStack> kept;
  for (std::uint32_t own = 0; own < held_.size(); ++own) {
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      const Held& held = held_[own][lane];
      if (held.bytes == 0) {
        continue;
      }
      const std::uint32_t node = listed_at[own];
      FoldedStack& entry = kept[{node, lane, node != own}];
      entry.node = node;
      entry.lane = static_cast<trace::Lane>(lane);
      entry.bytes += held.bytes;
      entry.blocks += held.blocks;
      entry.folded += node != own ? 1 : 0;
    }
  }
  std::vector<FoldedStack> sorted;
  sorted.reserve(kept.size());
  for (const auto& [place, stack] : kept) {
    sorted.push_back(stack);
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &FoldedStack::bytes);
  return sorted;
}

}  // namespace tidemark::html
