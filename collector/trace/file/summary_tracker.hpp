/// Maintains the exact summary of a block while its events are added.
#pragma once

#include "collector/trace/types/event.hpp"
#include "collector/trace/types/heap_event.hpp"

#include <cstdint>
#include <span>

namespace tidemark::trace {

/// Costs a few instructions per event: only the event's own lane and the footprint can change.
class SummaryTracker {
 public:
  /// Begins the next block where the last one ended.
  void begin_block(std::uint64_t at_ns, AllocationNumber first_allocation);
  /// Counts an event whose sizes are final.
  /// @param at_ns the event's time; `at_ns` is ignored.
  void add(const Event& event, std::uint64_t at_ns);
  /// Counts a run of at least one event.
  /// @param change of `events`.
  /// @param begin_ns time of the first event; earlier times of others are raised to it.
  /// @param end_ns time of the last event.
  void add_heap(std::span<const HeapEvent> events,
                const HeapChange& change,
                std::uint64_t begin_ns,
                std::uint64_t end_ns);

  /// The block begun last.
  [[nodiscard]] const BlockSummary& summary() const { return summary_; }
  [[nodiscard]] const LaneTotals& totals() const { return summary_.at_end; }

 private:
  [[nodiscard]] bool is_new_maximum(std::uint64_t footprint) const;

  BlockSummary summary_;
  EventOrdinal next_event_ = 0;
};

}  // namespace tidemark::trace
