/// The clock of records: ticks that order the records of all threads and processes.
#pragma once

#include "preload/wire/session.hpp"

#include <cstdint>

#include <time.h>

namespace tidemark::preload {

extern constinit wire::Clock g_clock;

inline void set_clock(wire::Clock clock) {
  g_clock = clock;
}

inline std::uint64_t now_ticks() {
  if (g_clock == wire::Clock::kTsc) [[likely]] {
    // rdtscp, not rdtsc: it waits for the loads before it. A thread that was handed a block by
    // another then never stamps earlier than the block's own record, and the order of records is
    // causal.
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return (std::uint64_t{high} << 32) | low;
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace tidemark::preload
