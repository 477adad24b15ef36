/// Puts records into the calling thread's ring. See preload/wire/ring.hpp for the protocol.
#pragma once

#include "preload/os/sys.hpp"
#include "preload/session/clock.hpp"
#include "preload/session/room.hpp"
#include "preload/session/slots.hpp"
#include "preload/session/thread_state.hpp"
#include "preload/wire/record.hpp"

#include <cstdint>
#include <span>

namespace tidemark::preload {

/// Longest text of a record: paths, names, a process's arguments. Longer ones are cut.
constexpr std::size_t kMaxTextBytes = 4096;
/// A handler's record comes on top of the one that it interrupted between its look at `limit` and
/// its reservation.
static_assert(kMaxTextBytes / wire::kPayloadBytes + 2 <= kRingSlack);

/// The next `slots` positions, for this thread. @return false: see make_room.
inline bool reserve(ThreadState& thread, std::uint64_t slots, std::uint64_t& position) {
  if (thread.header->reserved + slots > thread.limit) [[unlikely]] {
    if (!make_room(thread, slots))
      return false;
  }
  position = hand_out(thread, slots);
  return true;
}

/// @param ticks when it happened: may lie a little before this call.
inline void write(ThreadState& thread, const Record& record, std::uint64_t ticks) {
  std::uint64_t position = 0;
  if (reserve(thread, 1, position)) [[likely]]
    fill(thread, position, ticks, record);
}

inline void write(ThreadState& thread, const Record& record) {
  std::uint64_t position = 0;
  if (reserve(thread, 1, position)) [[likely]]
    fill(thread, position, now_ticks(), record);
}

/// Writes a record with a payload of up to kMaxTextBytes (cut there).
void write_payload(ThreadState& thread, const Record& head, std::span<const std::byte> payload);

/// The same for text. `text` need not end in a zero.
void write_text(ThreadState& thread, const Record& head, std::span<const char> text);

/// Writes kProcessBegin, if this is the first record of the process.
void announce_process(ThreadState& thread);

/// Hooks that run inside this scope on this thread record nothing, and no signal handler runs: for
/// calls into libraries that may themselves allocate.
class InternalScope {
 public:
  explicit InternalScope(ThreadState& thread) : thread_(thread), ring_(thread.ring) {
    thread_.ring = nullptr;
    thread_.internal = true;
  }
  ~InternalScope() {
    thread_.internal = false;
    thread_.ring = ring_;
  }
  InternalScope(const InternalScope&) = delete;
  InternalScope& operator=(const InternalScope&) = delete;

 private:
  sys::SignalBlock no_signals_;
  ThreadState& thread_;
  wire::RingHeader* ring_;
};

}  // namespace tidemark::preload
