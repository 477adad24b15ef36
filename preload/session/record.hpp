/// Puts records into the calling thread's ring. See preload/wire/ring.hpp for the protocol.
#pragma once

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/clock.hpp"
#include "preload/session/ring_space.hpp"
#include "preload/session/slots.hpp"
#include "preload/session/thread_state.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>
#include <span>

namespace tidemark::preload {

/// A handler may write a record of its own between the check of `limit` and the reservation.
static_assert(kMaxTextBytes / wire::kPayloadBytes + 2 <= kRingSlack);

/// The next `slots` positions, for this thread. @return false: see wait_for_space.
inline bool reserve(ThreadState& thread, std::uint64_t slots, std::uint64_t& position) {
  if (thread.header->reserved + slots > thread.limit) [[unlikely]] {
    if (!wait_for_space(thread, slots))
      return false;
  }
  position = hand_out(thread, slots);
  return true;
}

/// @param record of a kind without payload: see wire/kinds.hpp.
/// @param ticks Time of the event, possibly a little before this call.
template <typename Kind>
inline void write(ThreadState& thread, const Kind& record, std::uint64_t ticks) {
  static_assert(Kind::kPayload == wire::Payload::kNone);
  std::uint64_t position = 0;
  if (reserve(thread, 1, position)) [[likely]]
    fill(thread, position, ticks, Kind::kKind, record.encode());
}

template <typename Kind>
inline void write(ThreadState& thread, const Kind& record) {
  static_assert(Kind::kPayload == wire::Payload::kNone);
  std::uint64_t position = 0;
  if (reserve(thread, 1, position)) [[likely]]
    fill(thread, position, now_ticks(), Kind::kKind, record.encode());
}

/// Writes any kind with a payload of up to kMaxTextBytes (cut there).
void write_words(ThreadState& thread,
                 wire::RecordKind kind,
                 const wire::Words& words,
                 std::span<const std::byte> payload);

template <typename Kind>
inline void write_payload(ThreadState& thread,
                          const Kind& record,
                          std::span<const std::byte> payload) {
  static_assert(Kind::kPayload != wire::Payload::kNone && Kind::kPayload != wire::Payload::kText);
  write_words(thread, Kind::kKind, record.encode(), payload);
}

/// The same for text, whose length it sets. `text` need not end in a zero.
template <typename Kind>
inline void write_text(ThreadState& thread, Kind record, std::span<const char> text) {
  static_assert(Kind::kPayload == wire::Payload::kText);
  record.text_bytes = text.size() < kMaxTextBytes ? text.size() : kMaxTextBytes;
  write_words(thread, Kind::kKind, record.encode(), std::as_bytes(text));
}

/// Calls `write`, which builds a record in `thread.text` and writes it. Signal handlers, whose
/// records are built there too, are held back meanwhile, and it does not wait for space: that was
/// done before, with handlers running. `write` is not called if the record is dropped or the thread
/// detached.
template <typename Write>
inline void with_text(ThreadState& thread, Write&& write) {
  constexpr std::uint64_t kSlots = kMaxTextBytes / wire::kPayloadBytes + 2;
  static_assert(kSlots <= kSpaceCheckSlots);
  const auto has_space = [&thread] { return thread.header->reserved + kSlots <= thread.limit; };
  for (;;) {
    if (!has_space() && !wait_for_space(thread, kSlots))
      return;
    if (!may(kMayMap))
      return write();
    const sys::SignalBlock no_handlers(sys::kAsynchronousSignals);
    // A handler may have taken it.
    if (has_space())
      return write();
  }
}

/// Writes kGatheredReads, if there are any. More may follow them.
void record_gathered_reads(ThreadState& thread);
/// The same, and starts afresh: the descriptor is closed, or the thread has ended.
void forget_gathered_reads(ThreadState& thread);

/// Writes kProcessBegin, if this is the first record of the process.
void announce_process(ThreadState& thread);

/// Inside this scope, this thread's hooks record nothing and no signal handler runs: for calls into
/// libraries that may allocate.
class ReentrancyGuard {
 public:
  explicit ReentrancyGuard(ThreadState& thread) : thread_(thread), ring_(thread.ring) {
    thread_.ring = nullptr;
    thread_.internal = true;
  }
  ~ReentrancyGuard() {
    thread_.internal = false;
    thread_.ring = ring_;
  }
  ReentrancyGuard(const ReentrancyGuard&) = delete;
  ReentrancyGuard& operator=(const ReentrancyGuard&) = delete;

 private:
  sys::SignalBlock no_signals_;
  ThreadState& thread_;
  wire::RingHeader* ring_;
};

}  // namespace tidemark::preload
