/// A load without some of its memory: its curve and its peak, recomputed on the events.
#pragma once

#include "analyzer/query/live/allocation_set.hpp"
#include "analyzer/query/live/what_if.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark::analyzer {

/// What is removed. Bytes named several times are removed once.
struct Removal {
  std::vector<std::shared_ptr<const Savings>> savings;  ///< What findings save; none is null.
  std::vector<trace::StackId> stacks;                   ///< All that these ever allocated.
  std::vector<trace::AllocationNumber> allocations;

  [[nodiscard]] bool empty() const {
    return savings.empty() && stacks.empty() && allocations.empty();
  }
  /// Whether nothing is taken away as a whole: the peak is then known without a pass over all
  /// events.
  [[nodiscard]] bool is_of_savings() const { return stacks.empty() && allocations.empty(); }
};

/// Its savings together: of bytes that several save, at each time those of the one that saves most.
Savings savings_of(const Removal& removal);

/// What is left at an instant.
struct RemainingPoint {
  Instant at;
  trace::LaneTotals lanes;
};

/// Where the most and where the least is left, over a stretch of time.
struct RemainingColumn {
  RemainingPoint highest;
  RemainingPoint lowest;
};

/// Memory: two bits for each allocation removed by stack, about a hundred bytes for each block of
/// events, and the size of the savings.
class LoadWithout {
 public:
  /// Goes through all events once; ends early if the trace is stopped. From the first missing
  /// events on, nothing is removed by stack, so that the rest is never too low.
  LoadWithout(LoadedTrace& trace, const Removal& removal);

  /// The first instant at which most is left.
  [[nodiscard]] const RemainingPoint& peak() const { return peak_; }

  /// One for each two neighbouring borders: see Timeline::columns. Decodes the blocks that cross a
  /// border.
  std::vector<RemainingColumn> columns(LoadedTrace& trace,
                                       std::span<const std::uint64_t> borders) const;

  /// True if part of it is removed at least some of the time.
  [[nodiscard]] bool touches(trace::AllocationNumber allocation) const {
    return taken_.contains(allocation) || saved_of_.contains(allocation);
  }
  /// The bytes left of an allocation that has `bytes` after `events` events of the trace.
  [[nodiscard]] std::uint64_t left_of(const trace::Event& allocation,
                                      std::uint64_t bytes,
                                      trace::EventOrdinal events) const;
  /// The number of events after which the part left of it changes next, after `events`; the maximum
  /// if it does not.
  [[nodiscard]] trace::EventOrdinal next_change(trace::AllocationNumber allocation,
                                                trace::EventOrdinal events) const;

 private:
  class Replay;
  class Columns;

  struct Step {
    trace::EventOrdinal ordinal = 0;
    trace::Lane lane = trace::Lane::kHeap;
    std::int64_t bytes = 0;
  };
  using SignedLanes = std::array<std::int64_t, trace::kLaneCount>;
  /// A block of events, as it is with less.
  struct Block {
    SignedLanes removed_before{};
    std::size_t first_step = 0;
    RemainingColumn extremes;
  };

  void take_savings(const Removal& removal);
  [[nodiscard]] bool takes_whole(const SavedAllocation& of) const;
  [[nodiscard]] bool takes_whole(const trace::Event& allocation) const;
  void read_all(LoadedTrace& trace);
  void sort_steps();

  std::unordered_set<std::uint32_t> stacks_;  // By StackId.
  std::unordered_set<trace::AllocationNumber> allocations_;
  AllocationSet taken_;      // By stack or number, of those that there ever were.
  std::vector<Step> steps_;  // In order.
  std::unordered_map<trace::AllocationNumber, std::vector<Savings::Step>> saved_of_;
  std::vector<Block> blocks_;  // One more at the end.
  std::size_t first_damaged_ = SIZE_MAX;
  RemainingPoint peak_;
};

}  // namespace tidemark::analyzer
