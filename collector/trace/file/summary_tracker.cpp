#include "collector/trace/file/summary_tracker.hpp"

#include <algorithm>

namespace tidemark::trace {

void SummaryTracker::begin_block(std::uint64_t at_ns) {
  const auto totals = summary_.at_end;
  summary_ = BlockSummary{};
  summary_.first_event = next_event_;
  summary_.first_allocation = next_allocation_;
  summary_.begin_ns = summary_.end_ns = summary_.maximum_at_ns = at_ns;
  summary_.at_begin = summary_.at_end = summary_.minimum = summary_.maximum = totals;
  summary_.minimum_footprint = summary_.maximum_footprint = totals.footprint();
  summary_.maximum_at_event = BlockSummary::kBeforeFirst;
}

/// @param footprint after the event that is being counted.
void SummaryTracker::raise_maximum(std::uint64_t footprint, std::uint64_t at_ns) {
  auto& block = summary_;
  if (footprint > block.maximum_footprint ||
      (footprint == block.maximum_footprint &&
       block.maximum_at_event == BlockSummary::kBeforeFirst)) {
    block.maximum_footprint = footprint;
    block.maximum_at_event = block.event_count;
    block.maximum_at_ns = at_ns;
  }
}

void SummaryTracker::add(const Event& event, std::uint64_t at_ns) {
  auto& block = summary_;
  apply(event, block.at_end);
  const auto bytes = block.at_end[event.lane];
  block.minimum[event.lane] = std::min(block.minimum[event.lane], bytes);
  block.maximum[event.lane] = std::max(block.maximum[event.lane], bytes);
  const auto footprint = block.at_end.footprint();
  block.minimum_footprint = std::min(block.minimum_footprint, footprint);
  raise_maximum(footprint, at_ns);
  block.end_ns = at_ns;
  ++block.event_count;
  ++next_event_;
  if (is_allocation(event.kind))
    ++next_allocation_;
}

void SummaryTracker::add_fleeting(const Event& allocation,
                                  std::uint64_t at_ns,
                                  std::uint64_t freed_ns) {
  // What it leaves behind is what was there before, so no minimum changes.
  auto& block = summary_;
  auto highest = block.at_end;
  highest[allocation.lane] += allocation.size;
  block.maximum[allocation.lane] =
      std::max(block.maximum[allocation.lane], highest[allocation.lane]);
  raise_maximum(highest.footprint(), at_ns);
  block.end_ns = freed_ns;
  block.event_count += 2;
  next_event_ += 2;
  ++next_allocation_;
}

}  // namespace tidemark::trace
