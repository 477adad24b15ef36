/// The live set: the blocks alive at an instant, by the stack that made them.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace tidemark::analyzer {

/// One number for a stack or a process, by its id, in one lane.
constexpr std::uint64_t key_of(std::uint32_t id, trace::Lane lane) {
  return std::uint64_t{id} * trace::kLaneCount + static_cast<std::uint64_t>(lane);
}

/// What one stack holds in one lane.
struct LiveStack {
  trace::StackId stack = trace::kNoStack;
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

/// Invariant: totals = sum of `stacks` + `unattributed`, lane by lane.
struct LiveSet {
  Instant at;
  trace::LaneTotals totals;
  std::vector<LiveStack> stacks;  ///< Most bytes first; ties by stack and lane, so repeatable.
  /// What the totals hold and no stack explains. Zero in an intact trace; negative where releases
  /// were lost, so that blocks look alive which are not.
  std::array<std::int64_t, trace::kLaneCount> unattributed{};
};

/// Goes through the blocks up to `at`, last one first: an allocation met on the way back is alive
/// exactly if its release was not met before. So one bit per allocation is all that must be
/// remembered. Only the block of the instant is decoded, and those in which a process ended; of the
/// others the digest is enough.
LiveSet live_set_at(LoadedTrace& trace, const Instant& at);

/// The same by the stacks that blocks surely have (stack_sampling.hpp): for what is said of a place
/// as a whole. Other than `live_set_at` in recordings with sampled stacks only.
LiveSet certain_live_set_at(LoadedTrace& trace, const Instant& at);

/// Calls `visit(event, bytes)` for each allocation that came after `from` and is alive at `to`,
/// last one first, with the bytes it has then. Of `event` the allocation, its stack, thread and
/// lane are known. A default Instant is the start.
void visit_live(LoadedTrace& trace,
                const Instant& from,
                const Instant& to,
                const std::function<void(const trace::Event& event, std::uint64_t bytes)>& visit);

/// The growth between two instants: what came after `from` and is alive at `to`, most bytes first.
/// Empty when `from` is not before `to`. Costs no more than the blocks between them.
std::vector<LiveStack> kept_stacks(LoadedTrace& trace, const Instant& from, const Instant& to);

/// The same by the stacks that blocks surely have.
std::vector<LiveStack> certain_kept_stacks(LoadedTrace& trace,
                                           const Instant& from,
                                           const Instant& to);

}  // namespace tidemark::analyzer
