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
  /// Bytes in the totals that no stack explains. Zero in an intact trace; negative if releases were
  /// lost, so that dead blocks seem alive.
  std::array<std::int64_t, trace::kLaneCount> unattributed{};
};

/// Goes backwards through the blocks up to `at`: an allocation is alive exactly if its release was
/// not met before it. So one bit per allocation is enough. Decodes only the block of the instant
/// and those in which a process ended; for the others the digest is enough.
LiveSet live_set_at(LoadedTrace& trace, const Instant& at);

/// The same by certain stacks (see certain_stack): for statements about a whole place. Differs from
/// `live_set_at` only in recordings with sampled stacks.
LiveSet certain_live_set_at(LoadedTrace& trace, const Instant& at);

/// Calls `visit(event, bytes)` for each allocation that came after `from` and is alive at `to`,
/// last one first, with the bytes it has then. In `event` only the allocation, its stack, thread
/// and lane are set. A default Instant is the start.
void visit_live(LoadedTrace& trace,
                const Instant& from,
                const Instant& to,
                const std::function<void(const trace::Event& event, std::uint64_t bytes)>& visit);

/// The same for every allocation that is not released by then, also one that holds no bytes:
/// memory may come to it later.
void visit_unreleased(
    LoadedTrace& trace,
    const Instant& from,
    const Instant& to,
    const std::function<void(const trace::Event& event, std::uint64_t bytes)>& visit);

/// The growth between two instants: allocations after `from` that are alive at `to`, most bytes
/// first. Empty when `from` is not before `to`. Costs no more than the blocks between them.
std::vector<LiveStack> kept_stacks(LoadedTrace& trace, const Instant& from, const Instant& to);

/// The same by certain stacks.
std::vector<LiveStack> certain_kept_stacks(LoadedTrace& trace,
                                           const Instant& from,
                                           const Instant& to);

}  // namespace tidemark::analyzer
