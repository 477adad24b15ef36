/// What the peak would have been if some memory had been held for less of the time.
#pragma once

#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// The allocation of which bytes are saved.
struct SavedAllocation {
  trace::AllocationNumber allocation = trace::kNoAllocation;  ///< The last number it went under.
  trace::StackId stack = trace::kNoStack;
  trace::Lane lane = trace::Lane::kHeap;
};

/// Bytes that a different program would not have held, as a function of time: a list of steps.
class Savings {
 public:
  /// From the event `ordinal` on, saves `bytes` more. Negative: saves that much less.
  void add(trace::EventOrdinal ordinal, std::int64_t bytes, const SavedAllocation& of = {}) {
    steps_.push_back({ordinal, bytes, of});
  }
  /// Adds the savings of another one, which must be of other bytes.
  void add(const Savings& other) {
    steps_.insert(steps_.end(), other.steps_.begin(), other.steps_.end());
  }
  [[nodiscard]] bool empty() const { return steps_.empty(); }
  /// Bytes saved after `events` events of the trace.
  [[nodiscard]] std::uint64_t bytes_after(trace::EventOrdinal events) const;
  /// Bytes added then, if more is added than saved.
  [[nodiscard]] std::uint64_t spent_after(trace::EventOrdinal events) const;

  /// The stack of most of the bytes saved after `events` events; kNoStack if none is known.
  [[nodiscard]] trace::StackId main_stack_after(trace::EventOrdinal events) const;

  struct Step {
    trace::EventOrdinal ordinal = 0;
    std::int64_t bytes = 0;
    SavedAllocation of{};
  };
  /// By ordinal.
  [[nodiscard]] std::vector<Step> sorted() const;

 private:
  [[nodiscard]] std::int64_t sum_after(trace::EventOrdinal events) const;

  std::vector<Step> steps_;
};

/// Recomputes the peak on the events.
class WhatIf {
 public:
  /// `trace` stays borrowed.
  explicit WhatIf(LoadedTrace& trace);

  /// The highest footprint less savings. Blocks without a change of savings are taken from their
  /// summaries; others are decoded if they could hold the highest value. Exact, except in very long
  /// traces where hundreds of blocks could: then it may be too high by a thousandth. A damaged
  /// block counts with its highest footprint: the answer is never too low.
  std::uint64_t peak_with(const Savings& savings);

 private:
  static constexpr std::size_t kExactBorders = 256;
  static constexpr std::int64_t kCloseEnough = 1000;
  struct Border;
  Border border_at(std::size_t first);
  std::vector<Border> see_between_borders();
  void see_whole_blocks(std::size_t first, std::size_t last, std::int64_t saved);
  void see_border(const Border& border);

  LoadedTrace& trace_;
  SummaryPyramid pyramid_;
  std::vector<Savings::Step> steps_;
  std::int64_t saved_ = 0;
  std::int64_t highest_ = 0;
};

}  // namespace tidemark::analyzer
