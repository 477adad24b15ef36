#include "gui/view/blocks/block_list.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::gui {

const LongBlock* largest_at(const BlockList& list, std::uint64_t ns) {
  const LongBlock* largest = nullptr;
  for (const LongBlock& block : list.blocks) {
    if (block.is_alive_at(ns) && (largest == nullptr || block.bytes > largest->bytes)) {
      largest = &block;
    }
  }
  return largest;
}

BlockGatherer::BlockGatherer(analyzer::LoadedTrace& trace, std::size_t most)
    : trace_(trace), most_(most) {}

bool BlockGatherer::step() {
  if (next_ >= trace_.blocks().size()) {
    return false;
  }
  if (const auto* events = trace_.events(next_++)) {
    for (const trace::Event& event : *events) {
      if (trace::in_footprint(event.lane)) {
        analyzer::follow(event, *this);
      }
    }
  }
  return next_ < trace_.blocks().size();
}

void BlockGatherer::begin(const trace::Event& event) {
  const LongBlock block{.allocation = event.allocation,
                        .bytes = event.size,
                        .begin_ns = event.at_ns,
                        .stack = event.stack,
                        .thread = event.thread,
                        .lane = event.lane};
  if (event.size >= threshold_) {
    list(block);
  } else if (trace::is_mapped(event.lane)) {
    unlisted_[event.allocation] = block;
  } else {
    ++list_.others;
  }
}

void BlockGatherer::list(const LongBlock& block) {
  alive_[block.allocation] = list_.blocks.size();
  list_.blocks.push_back(block);
  if (list_.blocks.size() >= 2 * most_) {
    drop_smaller_half();
  }
}

void BlockGatherer::end(trace::AllocationNumber allocation, const trace::Event& event) {
  unlisted_.erase(allocation);
  if (const auto found = alive_.find(allocation); found != alive_.end()) {
    list_.blocks[found->second].end_ns = event.at_ns;
    alive_.erase(found);
  }
}

/// The list has one entry for each size that a block has had.
void BlockGatherer::resize(trace::AllocationNumber allocation,
                           std::int64_t change,
                           const trace::Event& event) {
  LongBlock block;
  if (const auto found = alive_.find(allocation); found != alive_.end()) {
    LongBlock& listed = list_.blocks[found->second];
    if (listed.begin_ns == event.at_ns && change > 0) {
      // Within one clock tick, both sizes would be stacked on each other.
      listed.bytes = analyzer::changed(listed.bytes, change);
      return;
    }
    block = listed;
    listed.end_ns = event.at_ns;
    alive_.erase(found);
  } else if (const auto small = unlisted_.find(allocation); small != unlisted_.end()) {
    block = small->second;
    unlisted_.erase(small);
  } else {
    return;
  }
  block.begin_ns = event.at_ns;
  block.bytes = analyzer::changed(block.bytes, change);
  if (block.bytes >= threshold_) {
    list(block);
  } else if (trace::is_mapped(block.lane)) {
    unlisted_[allocation] = block;
  }
}

/// Ends every block that the process still holds in the lane.
void BlockGatherer::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
  std::erase_if(unlisted_, [&](const auto& entry) {
    const LongBlock& block = entry.second;
    return block.lane == event.lane && trace_.process_of(block.thread) == process;
  });
  for (auto block = alive_.begin(); block != alive_.end();) {
    LongBlock& held = list_.blocks[block->second];
    if (held.lane == event.lane && trace_.process_of(held.thread) == process) {
      held.end_ns = event.at_ns;
      block = alive_.erase(block);
    } else {
      ++block;
    }
  }
}

void BlockGatherer::drop_smaller_half() {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(list_.blocks.size());
  for (const LongBlock& block : list_.blocks) {
    sizes.push_back(block.bytes);
  }
  const auto middle = sizes.end() - static_cast<std::ptrdiff_t>(most_);
  std::ranges::nth_element(sizes, middle);
  threshold_ = *middle;
  std::vector<LongBlock> kept;
  kept.reserve(2 * most_);
  alive_.clear();
  const auto larger = static_cast<std::size_t>(
      std::ranges::count_if(sizes, [this](std::uint64_t bytes) { return bytes > threshold_; }));
  std::size_t equal = most_ - larger;  // How many of exactly this size stay.
  for (const LongBlock& block : list_.blocks) {
    if (block.bytes > threshold_ || (block.bytes == threshold_ && equal > 0)) {
      equal -= block.bytes == threshold_ ? 1 : 0;
      if (block.end_ns == LongBlock::kNever) {
        alive_[block.allocation] = kept.size();
      }
      kept.push_back(block);
    } else if (block.end_ns == LongBlock::kNever && trace::is_mapped(block.lane)) {
      unlisted_[block.allocation] = block;
    }
  }
  list_.others += list_.blocks.size() - kept.size();
  list_.blocks = std::move(kept);
}

BlockList BlockGatherer::take() {
  list_.smallest = threshold_;
  return std::move(list_);
}

}  // namespace tidemark::gui
