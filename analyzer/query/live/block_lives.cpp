#include "analyzer/query/live/block_lives.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {

LiveBlocks::LiveBlocks(LoadedTrace& trace, const Instant& at, std::size_t groups, GroupOf group_of)
    : group_of_(std::move(group_of)), lives_(groups) {
  visit_live(trace, {}, at, [this](const trace::Event& event, std::uint64_t bytes) {
    const auto group = group_of_(event);
    if (!group) {
      return;
    }
    followed_.insert(event.allocation);
    blocks_.push_back({event.allocation, *group});
    BlockLives& lives = lives_.at(*group);
    ++lives.blocks;
    ++lives.kept_blocks;
    lives.kept_bytes += bytes;
    ++lives.threads[event.thread];
  });
  std::ranges::sort(blocks_, {}, &Block::allocation);
}

/// Its group, where it is one of the blocks.
std::optional<std::uint32_t> LiveBlocks::followed_in(trace::AllocationNumber allocation) const {
  if (!followed_.contains(allocation)) {
    return std::nullopt;
  }
  if (const auto moved = moved_.find(allocation); moved != moved_.end()) {
    return moved->second;
  }
  return std::ranges::lower_bound(blocks_, allocation, {}, &Block::allocation)->group;
}

void LiveBlocks::begin(const trace::Event& event) {
  if (const auto group = followed_in(event.allocation)) {
    BlockLives& lives = lives_[*group];
    lives.first_allocated_ns = std::min(lives.first_allocated_ns, event.at_ns);
    lives.last_allocated_ns = std::max(lives.last_allocated_ns, event.at_ns);
  }
}

void LiveBlocks::end(trace::AllocationNumber allocation, const trace::Event& event) {
  free(allocation, event.size, event.at_ns);
}

void LiveBlocks::move(const trace::Event& event) {
  const auto from = followed_in(event.released);
  if (from && !followed_.contains(event.allocation) && from == group_of_(event)) {
    followed_.insert(event.allocation);
    moved_.emplace(event.allocation, *from);
    return;
  }
  free(event.released, event.released_size, event.at_ns);
  begin(event);
}

void LiveBlocks::free(trace::AllocationNumber allocation,
                      std::uint64_t bytes,
                      std::uint64_t at_ns) {
  if (const auto group = followed_in(allocation)) {
    BlockLives& lives = lives_[*group];
    lives.first_freed_ns = std::min(lives.first_freed_ns, at_ns);
    lives.last_freed_ns = std::max(lives.last_freed_ns, at_ns);
    lives.kept_blocks -= std::min<std::uint64_t>(lives.kept_blocks, 1);
    lives.kept_bytes -= std::min(lives.kept_bytes, bytes);
  }
}

std::vector<BlockLives> block_lives(LoadedTrace& trace,
                                    const Instant& at,
                                    std::size_t groups,
                                    LiveBlocks::GroupOf group_of) {
  LiveBlocks blocks(trace, at, groups, std::move(group_of));
  for (std::size_t block = 0; block < trace.blocks().size() && !trace.is_stopped(); ++block) {
    if (const auto* const events = trace.events(block)) {
      for (const trace::Event& event : *events) {
        follow(event, blocks);
      }
    }
  }
  const auto lives = blocks.lives();
  return {lives.begin(), lives.end()};
}

}  // namespace tidemark::analyzer
