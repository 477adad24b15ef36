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

/// 1 + the CPU that the calling thread runs on at this moment; 0 where only the kernel could tell.
inline std::uint32_t current_cpu() {
  if (g_clock != wire::Clock::kTsc)
    return 0;
  // Linux keeps the node and, in the low 12 bits, the CPU in TSC_AUX, for the vDSO's getcpu.
  std::uint32_t node_and_cpu = 0;
  asm volatile("rdtscp" : "=c"(node_and_cpu) : : "rax", "rdx", "memory");
  return (node_and_cpu & 0xfff) + 1;
}

}  // namespace tidemark::preload
