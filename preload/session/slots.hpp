/// Slots of the calling thread's ring: handed out, then filled. See preload/wire/ring.hpp.
#pragma once

#include "preload/session/thread_state.hpp"
#include "preload/wire/kinds.hpp"
#include "preload/wire/ring.hpp"

#include <cstdint>

namespace tidemark::preload {

/// Reserves `slots` positions. @return the first; the caller fills them. There must be space for
/// them.
inline std::uint64_t hand_out(ThreadState& thread, std::uint64_t slots) {
  std::uint64_t position = slots;
  // One instruction, so a signal handler on this thread comes before or after it. No lock prefix:
  // no other thread writes here.
  asm volatile("xaddq %0, %1" : "+r"(position), "+m"(thread.header->reserved) : : "memory", "cc");
  return position;
}

inline void fill(ThreadState& thread,
                 std::uint64_t position,
                 std::uint64_t ticks,
                 wire::RecordKind kind,
                 const wire::Words& words) {
  wire::Slot& slot = thread.slots[position % wire::kRingSlots];
  slot.address = words.address;
  slot.size = words.size;
  slot.stack = words.stack;
  slot.extra = words.extra;
  // Commits: pairs with the acquire in the collector's ring reader.
  slot.head.store(wire::make_head(wire::lap_of(position), kind, ticks), std::memory_order_release);
}

}  // namespace tidemark::preload
