/// Keeps the exact summary of a block while its events come.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstdint>

namespace tidemark::trace {

/// Costs a few instructions an event: only the event's own lane and the footprint can move.
class SummaryTracker {
 public:
  /// Begins the next block where the last one ended.
  void begin_block(std::uint64_t at_ns);
  /// Counts an event whose sizes are final.
  /// @param at_ns the event's time; its own is not looked at.
  void add(const Event& event, std::uint64_t at_ns);
  /// Counts an allocation and its release, the event after it.
  void add_fleeting(const Event& allocation, std::uint64_t at_ns, std::uint64_t freed_ns);

  /// Of the block begun last.
  [[nodiscard]] const BlockSummary& summary() const { return summary_; }
  [[nodiscard]] const LaneTotals& totals() const { return summary_.at_end; }

 private:
  void raise_maximum(std::uint64_t footprint, std::uint64_t at_ns);

  BlockSummary summary_;
  EventOrdinal next_event_ = 0;
  AllocationNumber next_allocation_ = 0;
};

}  // namespace tidemark::trace
