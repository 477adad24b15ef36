/// The two events that nearly all of a trace is: a heap allocation and its release.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::trace {

/// One event of a run: kAllocate or kRelease in Lane::kHeap, of a thread that all of the run share.
struct HeapEvent {
  std::uint64_t at_ns = 0;
  std::uint64_t size = 0;
  /// kRelease: what is released. kAllocate: its own number, which is the next one in the trace.
  AllocationNumber allocation = 0;
  std::uint32_t extra = 0;  ///< As Event::extra; 0 for a release.
  StackId stack = kNoStack;
  bool is_release = false;
};

constexpr Event event_of(const HeapEvent& event, ThreadId thread) {
  Event whole;
  whole.kind = event.is_release ? EventKind::kRelease : EventKind::kAllocate;
  whole.lane = Lane::kHeap;
  whole.at_ns = event.at_ns;
  whole.size = event.size;
  whole.allocation = event.allocation;
  whole.extra = event.extra;
  whole.stack = event.stack;
  whole.thread = thread;
  return whole;
}

/// What a run does to the bytes of the heap, relative to what they were before it. Peaks and
/// minima of a process, the session and a block follow from it without a look at each event again.
struct HeapChange {
  std::int64_t total = 0;
  std::int64_t lowest = 0;     ///< After any of the events.
  std::int64_t highest = 0;    ///< The same.
  std::size_t highest_at = 0;  ///< The first event after which it stood there.
};

/// @param events at least one.
constexpr HeapChange change_of(std::span<const HeapEvent> events) {
  const auto bytes_of = [](const HeapEvent& event) {
    const auto bytes = static_cast<std::int64_t>(event.size);
    return event.is_release ? -bytes : bytes;
  };
  const std::int64_t first = bytes_of(events.front());
  HeapChange change{.total = first, .lowest = first, .highest = first, .highest_at = 0};
  for (std::size_t i = 1; i < events.size(); ++i) {
    change.total += bytes_of(events[i]);
    change.lowest = change.total < change.lowest ? change.total : change.lowest;
    if (change.total > change.highest) {
      change.highest = change.total;
      change.highest_at = i;
    }
  }
  return change;
}

}  // namespace tidemark::trace
