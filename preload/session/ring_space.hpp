/// Waiting for the collector to make space in a thread's ring.
#pragma once

#include "preload/session/thread_state.hpp"
#include "preload/wire/ring.hpp"

#include <cstdint>

namespace tidemark::preload {

/// Slots kept free at the end of a full ring, for signal handlers that record between a thread's
/// check of `limit` and its reservation.
constexpr std::uint64_t kRingSlack = 512;
/// A thread checks its ring's fill, and whether others wait for the collector, once per this many
/// slots.
constexpr std::uint64_t kSpaceCheckSlots = wire::kRingSlots / 16;

/// Ends the collector's sleep, if it sleeps.
void wake_collector();

/// Makes space for `slots`, at most kSpaceCheckSlots, beyond `thread.limit`. Waits for it, or
/// counts the record as dropped (--overflow drop).
///
/// Even with space left, waits for the end of the collector's pass if another thread needs space
/// and this one occupies the collector's core. Otherwise that thread's core would stay idle until
/// this ring is full as well, since the kernel does not migrate the collector for so short a time.
/// @return false: write nothing, since the record was dropped or the thread detached.
bool wait_for_space(ThreadState& thread, std::uint64_t slots);

/// Ends the session for this thread. A record in progress finds no space and is not written.
inline void detach(ThreadState& thread) {
  thread.ring = nullptr;
  thread.limit = 0;
}

}  // namespace tidemark::preload
