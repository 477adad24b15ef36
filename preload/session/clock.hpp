/// The clock of records: ticks that order the records of all threads and processes.
#pragma once

#include "preload/wire/session.hpp"

#include <atomic>
#include <cstdint>

#include <time.h>

namespace tidemark::preload {

/// Where stamps come from.
enum class Stamps : std::uint8_t {
  /// rdtsc, which the CPU may execute before earlier loads are done. Enough while only one thread
  /// has recorded: its own records are ordered by its ring.
  kTscAlone,
  /// The same after lfence, which waits for those loads. A thread that was handed a block by
  /// another then never stamps earlier than that block's own record: the order of records is
  /// causal.
  kTscInOrder,
  kMonotonic,
};
extern constinit std::atomic<Stamps> g_stamps;

/// For a process whose first thread is about to record.
inline void set_clock(wire::Clock clock) {
  g_stamps.store(clock == wire::Clock::kTsc ? Stamps::kTscAlone : Stamps::kMonotonic);
}

/// A second thread is about to record: from now on, order between threads matters. Any thread that
/// sees a block of that thread sees this store, too.
inline void stamp_in_order() {
  Stamps alone = Stamps::kTscAlone;
  g_stamps.compare_exchange_strong(alone, Stamps::kTscInOrder);
}

/// CLOCK_MONOTONIC in ns; the last value read if a filter forbids asking the kernel.
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
