#include "collector/trace/file/summary_tracker.hpp"

#include "collector/trace/coding/format.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

/// The time as stored in the trace: rounded down, and not before `begin_ns`.
std::uint64_t time_of_last(std::span<const HeapEvent> events, std::uint64_t begin_ns) {
  std::uint64_t latest = begin_ns;
  for (const HeapEvent& event : events)
    latest = std::max(latest, event.at_ns);
  return latest - latest % kTimeUnitNs;
}

}  // namespace

void SummaryTracker::begin_block(std::uint64_t at_ns, AllocationNumber first_allocation) {
  const auto totals = summary_.at_end;
  summary_ = BlockSummary{};
  summary_.first_event = next_event_;
  summary_.first_allocation = first_allocation;
  summary_.begin_ns = summary_.end_ns = summary_.maximum_at_ns = at_ns;
  summary_.at_begin = summary_.at_end = summary_.minimum = summary_.maximum = totals;
  summary_.minimum_footprint = summary_.maximum_footprint = totals.footprint();
  summary_.maximum_at_event = BlockSummary::kBeforeFirst;
}

/// If the maximum was there before all events, the first event that reaches it again counts.
bool SummaryTracker::is_new_maximum(std::uint64_t footprint) const {
  return footprint > summary_.maximum_footprint ||
         (footprint == summary_.maximum_footprint &&
          summary_.maximum_at_event == BlockSummary::kBeforeFirst);
}

void SummaryTracker::add(const Event& event, std::uint64_t at_ns) {
  auto& block = summary_;
  apply(event, block.at_end);
  const auto bytes = block.at_end[event.lane];
  block.minimum[event.lane] = std::min(block.minimum[event.lane], bytes);
  block.maximum[event.lane] = std::max(block.maximum[event.lane], bytes);
  const auto footprint = block.at_end.footprint();
  block.minimum_footprint = std::min(block.minimum_footprint, footprint);
  if (is_new_maximum(footprint)) {
    block.maximum_footprint = footprint;
    block.maximum_at_event = block.event_count;
    block.maximum_at_ns = at_ns;
  }
  block.end_ns = at_ns;
  ++block.event_count;
  ++next_event_;
}

void SummaryTracker::add_heap(std::span<const HeapEvent> events,
                              const HeapChange& change,
                              std::uint64_t begin_ns,
                              std::uint64_t end_ns) {
  auto& block = summary_;
  const auto after = [](std::uint64_t bytes, std::int64_t changed) {
    return bytes + static_cast<std::uint64_t>(changed);
  };
  const auto heap = block.at_end[Lane::kHeap];
  const auto footprint = block.at_end.footprint();
  auto& minimum = block.minimum[Lane::kHeap];
  auto& maximum = block.maximum[Lane::kHeap];
  minimum = std::min(minimum, after(heap, change.lowest));
  maximum = std::max(maximum, after(heap, change.highest));
  block.minimum_footprint = std::min(block.minimum_footprint, after(footprint, change.lowest));
  if (is_new_maximum(after(footprint, change.highest))) {
    block.maximum_footprint = after(footprint, change.highest);
    block.maximum_at_event = block.event_count + static_cast<std::uint32_t>(change.highest_at);
    block.maximum_at_ns = time_of_last(events.first(change.highest_at + 1), begin_ns);
  }
  block.at_end[Lane::kHeap] = after(heap, change.total);
  block.end_ns = end_ns;
  block.event_count += static_cast<std::uint32_t>(events.size());
  next_event_ += events.size();
}

}  // namespace tidemark::trace
