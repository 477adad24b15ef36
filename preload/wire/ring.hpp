/// One ring: a single thread of a host writes slots, the collector reads them.
///
/// Positions count slots and never wrap; a slot's place is position % kRingSlots, its lap number is
/// lap_of(position). The writer reserves by a plain add (one instruction: a signal handler on the
/// same thread simply gets the next slots), fills the slot, and commits it by storing `Slot::head`.
#pragma once

#include "preload/wire/record.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::wire {

constexpr std::size_t kCacheLineBytes = 64;
constexpr std::uint64_t kRingSlots = 8192;
constexpr std::uint64_t kRingBytes = kRingSlots * kSlotBytes;

/// Lap number of the slot at `position`: 1..255. 0 is memory that was never written.
constexpr std::uint8_t lap_of(std::uint64_t position) {
  return static_cast<std::uint8_t>((position / kRingSlots) % 255 + 1);
}

/// `RingHeader::owner`: one of these, or the index of the owner's ProcessSlot plus one. One word,
/// so that a host which dies right after claiming a ring leaves no ring without an owner.
constexpr std::uint32_t kRingFree = 0;
constexpr std::uint32_t kRingTrimmed = 0xffffffff;  ///< Held by the collector for a moment.

/// Positions of one ring.
struct RingHeader {
  // Written by the owning thread.
  alignas(
      kCacheLineBytes) std::uint64_t reserved;  ///< Next position to hand out. Read after death.
  std::uint64_t dropped;                        ///< Records dropped since the last kLost record.
  std::uint64_t blocked_ticks;                  ///< Time spent waiting for space, in total.
  std::atomic<std::uint64_t> dropped_total;
  /// Address, in the owner's memory, of the word that holds the tid until the kernel marks the
  /// thread's end there (kOwnerDied). 0: none. The collector reads it there; it is not in the
  /// session, since libc follows the pointers beside it.
  std::atomic<std::uint64_t> watch_word;
  /// Address, in the owner's memory, of tidemark's state of the thread. 0: none.
  std::atomic<std::uint64_t> state_address;
  /// Bytes of the owner's small reads, whether already recorded (kGatheredReads) or still to be.
  /// After the owner's death the collector takes the unrecorded rest from here.
  std::atomic<std::uint64_t> gathered_bytes;

  // Written by the collector.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> read_position;
  std::atomic<std::uint32_t> space_sequence;  ///< Futex: incremented to wake a waiting writer.

  // Written by both, rarely.
  /// kRingFree -> owner by a thread's CAS; freed by the collector once the process is dead. Until
  /// then the process's threads pass it on to each other.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> owner;
  /// Not 0: wake `space_sequence` after reading. The value is 1 + the writer's CPU in the form of
  /// ControlBlock::collector_cpu.
  std::atomic<std::uint32_t> writer_waits;
};
static_assert(sizeof(RingHeader) == 3 * kCacheLineBytes,
              "shared-memory layout is part of the protocol");

}  // namespace tidemark::wire
