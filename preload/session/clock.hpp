/// The clock of records: ticks that order the records of all threads and processes.
#pragma once

#include "preload/wire/session.hpp"

#include <atomic>
#include <cstdint>

#include <time.h>

namespace tidemark::preload {

/// Where stamps come from.
enum class Stamps : std::uint8_t {
  /// rdtsc, which may be read before the loads before it have ended. Good for a process in which
  /// one thread has recorded so far: its own records come in the order of its ring.
  kTscAlone,
  /// The same after lfence, which waits for them. A thread that was handed a block by another then
  /// never stamps earlier than the block's own record, and the order of records is causal.
  kTscInOrder,
  kMonotonic,
};
extern constinit std::atomic<Stamps> g_stamps;

/// For a process whose first thread is about to record.
inline void set_clock(wire::Clock clock) {
  g_stamps.store(clock == wire::Clock::kTsc ? Stamps::kTscAlone : Stamps::kMonotonic);
}

/// Another thread is about to record: from now on, order between threads counts. Whoever is handed
/// a block by that thread sees this, as it sees the block.
inline void stamp_in_order() {
  Stamps alone = Stamps::kTscAlone;
  g_stamps.compare_exchange_strong(alone, Stamps::kTscInOrder);
}

/// CLOCK_MONOTONIC in ns; the last such time where the kernel may no longer be asked.
std::uint64_t monotonic_ticks();

inline std::uint64_t now_ticks() {
  const Stamps stamps = g_stamps.load(std::memory_order_relaxed);
  if (stamps != Stamps::kMonotonic) [[likely]] {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    if (stamps == Stamps::kTscInOrder)
      asm volatile("lfence" : : : "memory");
    asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (std::uint64_t{high} << 32) | low;
  }
  return monotonic_ticks();
}

}  // namespace tidemark::preload
