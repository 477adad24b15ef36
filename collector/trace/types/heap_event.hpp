/// The most frequent events of a trace: heap allocations, their releases and reallocations.
#pragma once

#include "collector/trace/types/event.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace tidemark::trace {

/// One event of a run: kAllocate, kRelease or kReallocate in Lane::kHeap. All events of a run have
/// the same thread.
struct HeapEvent {
  std::uint64_t at_ns = 0;
  std::uint64_t size = 0;
  /// kRelease: the block released. Else the new block's number, the next one in the trace.
  AllocationNumber allocation = 0;
  std::uint32_t extra = 0;  ///< As Event::extra; 0 for a release.
  StackId stack = kNoStack;
  EventKind kind = EventKind::kAllocate;
  /// kReallocate: the block released, and its bytes.
  AllocationNumber released = 0;
  std::uint64_t released_size = 0;

  /// Change of the heap's bytes.
  [[nodiscard]] constexpr std::int64_t change() const {
    const auto bytes = static_cast<std::int64_t>(size);
    return kind == EventKind::kRelease ? -bytes : bytes - static_cast<std::int64_t>(released_size);
  }
};

constexpr Event event_of(const HeapEvent& event, ThreadId thread) {
  Event whole;
  whole.kind = event.kind;
  whole.lane = Lane::kHeap;
  whole.at_ns = event.at_ns;
  whole.size = event.size;
  whole.allocation = event.allocation;
  whole.extra = event.extra;
  whole.stack = event.stack;
  whole.thread = thread;
  whole.released = event.released;
  whole.released_size = event.released_size;
  return whole;
}

/// How a run changes the heap's bytes, relative to their value before it. Peaks and minima of a
/// process, the session and a block follow from it without going through the events again.
struct HeapChange {
  std::int64_t total = 0;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();   ///< After any of the events.
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();  ///< The same.
  std::size_t highest_at = 0;  ///< The first event after which it was highest.

  /// @param at index of the event in its run.
  constexpr void add(const HeapEvent& event, std::size_t at) {
    total += event.change();
    lowest = std::min(lowest, total);
    highest_at = total > highest ? at : highest_at;
    highest = std::max(highest, total);
  }
};

/// @param events at least one.
constexpr HeapChange change_of(std::span<const HeapEvent> events) {
  HeapChange change;
  for (std::size_t i = 0; i < events.size(); ++i)
    change.add(events[i], i);
  return change;
}

}  // namespace tidemark::trace
