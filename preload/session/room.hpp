/// Room in a thread's ring, and the collector that makes it.
#pragma once

#include "preload/session/thread_state.hpp"
#include "preload/wire/ring.hpp"

#include <cstdint>

namespace tidemark::preload {

/// Slots that stay unused at the end of a full ring: room for signal handlers that record between a
/// thread's look at `limit` and its reservation.
constexpr std::uint64_t kRingSlack = 512;
/// A thread looks at the state of its ring, and at who waits for the collector, once for so many
/// slots.
constexpr std::uint64_t kRoomStep = wire::kRingSlots / 16;

/// Ends the collector's sleep, if it sleeps.
void wake_collector();

/// Room for `slots`, at most kRoomStep, beyond `thread.limit`. Waits for it, or counts the record
/// as dropped (--overflow drop).
///
/// Also waits with room left, for the rest of the collector's pass, where this thread runs on the
/// core that the collector was on while another thread is short of room: that one's core would
/// stand idle until this ring, too, is full, as the kernel does not move the collector over for so
/// short a time.
/// @return false: nothing is to be written, as dropped or because the thread was detached.
bool make_room(ThreadState& thread, std::uint64_t slots);

/// The session is over for this thread. A record in progress finds no room and is left out.
inline void detach(ThreadState& thread) {
  thread.ring = nullptr;
  thread.limit = 0;
}

}  // namespace tidemark::preload
