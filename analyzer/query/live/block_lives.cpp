#include "analyzer/query/live/block_lives.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

void add_allocated(BlockLives& lives, std::uint64_t at_ns) {
  lives.first_allocated_ns = std::min(lives.first_allocated_ns, at_ns);
  lives.last_allocated_ns = std::max(lives.last_allocated_ns, at_ns);
}

void add_resized(BlockLives& lives, std::uint64_t at_ns) {
  ++lives.resized_blocks;
  lives.first_resized_ns = std::min(lives.first_resized_ns, at_ns);
  lives.last_resized_ns = std::max(lives.last_resized_ns, at_ns);
}

/// Attributes what one thread allocated to another.
void hand_over(BlockLives& lives, trace::ThreadId from, trace::ThreadId to) {
  if (--lives.threads[from] == 0) {
    lives.threads.erase(from);
  }
  ++lives.threads[to];
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

void add_taken(BlockLives& lives, std::uint64_t bytes, std::uint64_t at_ns) {
  ++lives.taken_blocks;
  lives.taken_bytes += bytes;
  lives.first_taken_ns = std::min(lives.first_taken_ns, at_ns);
  lives.last_taken_ns = std::max(lives.last_taken_ns, at_ns);
}

}  // namespace

LiveBlocks::LiveBlocks(LoadedTrace& trace, const Instant& at, std::size_t groups, GroupOf group_of)
    : group_of_(std::move(group_of)), origins_(trace), lives_(groups) {
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

/// Null if it is none of the blocks, or was one before it moved.
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

/// Calls `tell` with the lives of its group, and with those of the largest block if this is it.
template <typename Tell>
void LiveBlocks::tell(const Block& block, const Tell& tell) {
  tell(lives_[block.group], block.is_largest);
  if (block.allocation == largest_.allocation) {
    tell(largest_.lives, true);
  }
}

void LiveBlocks::begin(const trace::Event& event) {
  Block* const block = find(event.allocation);
  if (block == nullptr) {
    return;
  }
  block->bytes_now = event.size;
  if (event.kind == trace::EventKind::kReallocate && event.released != trace::kNoAllocation) {
    block->resized_ns = event.at_ns;
    origins_.seek(block->allocation, event.released);
  } else {
    tell(*block, [&](BlockLives& lives, bool) { add_allocated(lives, event.at_ns); });
  }
}

void LiveBlocks::end(trace::AllocationNumber allocation, const trace::Event& event) {
  free(allocation, event.at_ns);
}

void LiveBlocks::move(const trace::Event& event) {
  Block* const block = find(event.released);
  if (block == nullptr || is_freed(*block) || find(event.allocation) != nullptr) {
    free(event.released, event.at_ns);
    begin(event);
    return;
  }
  moved_.erase(event.released);
  followed_.insert(event.allocation);
  moved_.emplace(event.allocation, block);
  block->bytes_now = event.size;
  if (block->group != group_of_(event) && !std::exchange(block->is_taken, true)) {
    tell(*block, [&](BlockLives& lives, bool) { add_taken(lives, event.size, event.at_ns); });
  }
}

void LiveBlocks::resize(trace::AllocationNumber allocation,
                        std::int64_t change,
                        const trace::Event& event) {
  if (Block* const block = find(allocation)) {
    block->bytes_now = changed(block->bytes_now, change);
    block->emptied_ns = event.at_ns;
  }
}

void LiveBlocks::find_origins() {
  while (origins_.step()) {
  }
  for (const Block& block : blocks_) {
    if (block.resized_ns == 0) {
      continue;
    }
    const BlockOrigins::Origin* const origin = origins_.of(block.allocation);
    tell(block, [&](BlockLives& lives, bool) {
      // In a damaged trace the begin may be missing.
      add_allocated(lives, origin == nullptr ? block.resized_ns : origin->at_ns);
      add_resized(lives, block.resized_ns);
      if (origin != nullptr) {
        hand_over(lives, block.thread, origin->thread);
      }
    });
  }
}

void LiveBlocks::finish() {
  find_origins();
  for (Block& block : blocks_) {
    if (!is_freed(block) && block.bytes_now == 0 && block.emptied_ns != 0) {
      tell(block, [](BlockLives& lives, bool) { ++lives.emptied_blocks; });
      free(block, block.emptied_ns);
    }
  }
  find_most_freed();
}

void LiveBlocks::find_most_freed() {
  std::vector<const Block*> freed;
  for (const Block& block : blocks_) {
    if (is_freed(block)) {
      freed.push_back(&block);
    }
  }
  std::ranges::sort(freed, {}, [](const Block* block) { return block->freed_ns; });
  std::vector<std::uint64_t> all(lives_.size());
  for (const Block* const block : freed) {
    all[block->group] += block->bytes;
  }
  std::vector<std::uint64_t> gone(lives_.size());
  for (const Block* const block : freed) {
    std::uint64_t& bytes = gone[block->group];
    const std::uint64_t most = all[block->group] - all[block->group] / 10;
    if (bytes < most) {
      lives_[block->group].most_freed_ns = block->freed_ns;
    }
    bytes += block->bytes;
  }
}

void LiveBlocks::free(trace::AllocationNumber allocation, std::uint64_t at_ns) {
  Block* const block = find(allocation);
  moved_.erase(allocation);
  if (block != nullptr) {
    free(*block, at_ns);
  }
}

void LiveBlocks::free(Block& block, std::uint64_t at_ns) {
  // A damaged trace may free it twice.
  if (!is_freed(block)) {
    block.freed_ns = at_ns;
    tell(block, [&](BlockLives& lives, bool is_largest) {
      add_freed(lives, block.bytes, is_largest, at_ns);
    });
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
  blocks.finish();
  const auto lives = blocks.lives();
  return {lives.begin(), lives.end()};
}

}  // namespace tidemark::analyzer
