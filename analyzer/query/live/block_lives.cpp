#include "analyzer/query/live/block_lives.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

void add_allocated(BlockLives& lives, std::uint64_t at_ns) {
  lives.first_allocated_ns = std::min(lives.first_allocated_ns, at_ns);
  lives.last_allocated_ns = std::max(lives.last_allocated_ns, at_ns);
}

void add_alive(BlockLives& lives, std::uint64_t bytes, trace::ThreadId thread) {
  ++lives.blocks;
  ++lives.kept_blocks;
  lives.kept_bytes += bytes;
  lives.smallest_bytes = std::min(lives.smallest_bytes, bytes);
  lives.largest_bytes = std::max(lives.largest_bytes, bytes);
  ++lives.threads[thread];
}

void add_freed(BlockLives& lives, std::uint64_t bytes, bool is_largest, std::uint64_t at_ns) {
  lives.first_freed_ns = std::min(lives.first_freed_ns, at_ns);
  lives.last_freed_ns = std::max(lives.last_freed_ns, at_ns);
  if (is_largest) {
    lives.largest_freed_ns = at_ns;
  }
  --lives.kept_blocks;
  lives.kept_bytes -= bytes;
}

}  // namespace

LiveBlocks::LiveBlocks(LoadedTrace& trace, const Instant& at, std::size_t groups, GroupOf group_of)
    : group_of_(std::move(group_of)), lives_(groups) {
  visit_live(trace, {}, at, [this](const trace::Event& event, std::uint64_t bytes) {
    const auto group = group_of_(event);
    if (!group) {
      return;
    }
    followed_.insert(event.allocation);
    blocks_.push_back(
        {.allocation = event.allocation, .bytes = bytes, .group = *group, .thread = event.thread});
    add_alive(lives_.at(*group), bytes, event.thread);
  });
  std::ranges::sort(blocks_, {}, &Block::allocation);
  std::vector<bool> has_largest(groups);
  for (Block& block : blocks_) {
    block.is_largest =
        !has_largest[block.group] && block.bytes == lives_[block.group].largest_bytes;
    has_largest[block.group] = has_largest[block.group] || block.is_largest;
  }
  find_largest();
}

void LiveBlocks::find_largest() {
  const auto most = std::ranges::max_element(blocks_, {}, &Block::bytes);
  if (most != blocks_.end()) {
    largest_ = {.allocation = most->allocation, .group = most->group, .lives = {}};
    add_alive(largest_.lives, most->bytes, most->thread);
  }
}

/// Null where it is none of the blocks, or was one before it moved.
LiveBlocks::Block* LiveBlocks::find(trace::AllocationNumber allocation) {
  if (!followed_.contains(allocation)) {
    return nullptr;
  }
  if (const auto moved = moved_.find(allocation); moved != moved_.end()) {
    return moved->second;
  }
  const auto found = std::ranges::lower_bound(blocks_, allocation, {}, &Block::allocation);
  return found != blocks_.end() && found->allocation == allocation ? &*found : nullptr;
}

void LiveBlocks::begin(const trace::Event& event) {
  if (const Block* block = find(event.allocation)) {
    add_allocated(lives_[block->group], event.at_ns);
    if (block->allocation == largest_.allocation) {
      add_allocated(largest_.lives, event.at_ns);
    }
  }
}

void LiveBlocks::end(trace::AllocationNumber allocation, const trace::Event& event) {
  free(allocation, event.at_ns);
}

void LiveBlocks::move(const trace::Event& event) {
  Block* const block = find(event.released);
  if (block != nullptr && find(event.allocation) == nullptr && block->group == group_of_(event)) {
    moved_.erase(event.released);
    followed_.insert(event.allocation);
    moved_.emplace(event.allocation, block);
    return;
  }
  free(event.released, event.at_ns);
  begin(event);
}

void LiveBlocks::free(trace::AllocationNumber allocation, std::uint64_t at_ns) {
  Block* const block = find(allocation);
  moved_.erase(allocation);
  // A damaged trace may free it twice.
  if (block == nullptr || std::exchange(block->is_freed, true)) {
    return;
  }
  add_freed(lives_[block->group], block->bytes, block->is_largest, at_ns);
  if (block->allocation == largest_.allocation) {
    add_freed(largest_.lives, block->bytes, true, at_ns);
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
