#include "gui/view/trees/range_use.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>

namespace tidemark::gui {

RangeUse::RangeUse(analyzer::LoadedTrace& trace, std::uint64_t begin_ns, std::uint64_t end_ns)
    : trace_(trace), begin_ns_(begin_ns), end_ns_(end_ns) {
  const auto blocks = trace.blocks();
  const auto first = std::ranges::partition_point(
      blocks, [begin_ns](const trace::BlockSummary& block) { return block.end_ns < begin_ns; });
  next_ = static_cast<std::size_t>(first - blocks.begin());
}

bool RangeUse::step() {
  const auto blocks = trace_.blocks();
  if (next_ >= blocks.size() || blocks[next_].begin_ns > end_ns_) {
    return false;
  }
  if (const auto* events = trace_.events(next_)) {
    for (const trace::Event& event : *events) {
      const bool is_in_range = event.at_ns >= begin_ns_ && event.at_ns <= end_ns_;
      if (is_in_range && trace::in_footprint(event.lane)) {
        analyzer::follow(event, *this);
      }
    }
  }
  ++next_;
  return next_ < blocks.size() && blocks[next_].begin_ns <= end_ns_;
}

RangeUse::Row& RangeUse::row(trace::StackId stack, trace::Lane lane) {
  const std::uint64_t key =
      std::uint64_t{trace::index(stack)} * trace::kLaneCount + static_cast<std::uint64_t>(lane);
  Row& found = rows_[key];
  found.stack = stack;
  found.lane = lane;
  return found;
}

void RangeUse::begin(const trace::Event& event) {
  row(event.stack, event.lane).weight.add({.bytes = event.size, .blocks = 1});
  held_[event.allocation] = {event.stack, event.lane, event.thread, event.size};
}

void RangeUse::end(trace::AllocationNumber allocation, const trace::Event&) {
  if (const auto found = held_.find(allocation); found != held_.end()) {
    const Held& held = found->second;
    row(held.stack, held.lane).weight.freed += held.bytes;
    held_.erase(found);
  }
}

void RangeUse::resize(trace::AllocationNumber allocation,
                      std::int64_t change,
                      const trace::Event&) {
  const auto found = held_.find(allocation);
  if (found == held_.end()) {
    return;
  }
  Held& held = found->second;
  const std::uint64_t bytes = analyzer::changed(held.bytes, change);
  Weight& weight = row(held.stack, held.lane).weight;
  if (change > 0) {
    weight.add({.bytes = bytes - held.bytes, .blocks = 0});
  } else {
    weight.freed += held.bytes - bytes;
  }
  held.bytes = bytes;
}

void RangeUse::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
  std::erase_if(held_, [&](const auto& entry) {
    const Held& held = entry.second;
    const bool goes = held.lane == event.lane && trace_.process_of(held.thread) == process;
    if (goes) {
      row(held.stack, held.lane).weight.freed += held.bytes;
    }
    return goes;
  });
}

NamedStacks RangeUse::take() {
  StackNamer namer(trace_.definitions());
  for (const auto& [key, one] : rows_) {
    namer.add(one.stack, one.lane, one.weight);
  }
  return namer.take();
}

}  // namespace tidemark::gui
