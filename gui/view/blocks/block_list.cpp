#include "gui/view/blocks/block_list.hpp"

#include "analyzer/query/lifetimes.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::gui {

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
  if (event.size < threshold_) {
    ++list_.others;
    return;
  }
  alive_[event.allocation] = list_.blocks.size();
  list_.blocks.push_back({.allocation = event.allocation,
                          .bytes = event.size,
                          .begin_ns = event.at_ns,
                          .stack = event.stack,
                          .thread = event.thread,
                          .lane = event.lane});
  if (list_.blocks.size() >= 2 * most_) {
    drop_smaller_half();
  }
}

void BlockGatherer::end(std::uint64_t allocation, const trace::Event& event) {
  if (const auto found = alive_.find(allocation); found != alive_.end()) {
    list_.blocks[found->second].end_ns = event.at_ns;
    alive_.erase(found);
  }
}

void BlockGatherer::shrink(std::uint64_t allocation,
                           std::uint64_t bytes,
                           const trace::Event& event) {
  const auto found = alive_.find(allocation);
  if (found == alive_.end()) {
    return;
  }
  LongBlock rest = list_.blocks[found->second];
  list_.blocks[found->second].end_ns = event.at_ns;
  alive_.erase(found);
  rest.begin_ns = event.at_ns;
  rest.bytes -= std::min(rest.bytes, bytes);
  if (rest.bytes >= threshold_) {
    alive_[rest.allocation] = list_.blocks.size();
    list_.blocks.push_back(rest);
  }
}

/// Every block that the process still holds in the lane goes.
void BlockGatherer::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
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
  std::size_t equal = most_ - larger;  // So many of just this size stay.
  for (const LongBlock& block : list_.blocks) {
    if (block.bytes > threshold_ || (block.bytes == threshold_ && equal > 0)) {
      equal -= block.bytes == threshold_ ? 1 : 0;
      if (block.end_ns == LongBlock::kNever) {
        alive_[block.allocation] = kept.size();
      }
      kept.push_back(block);
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
