/// The kernel's clocks as numbers.
#pragma once

#include <cstdint>
#include <ctime>

#include <sys/types.h>

namespace tidemark {

/// @param clock as clock_gettime(2) takes it: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, ...
/// @return nanoseconds since that clock's own start.
inline std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// CPU time of all threads of a process so far. 0: it is gone.
inline std::uint64_t cpu_time_ns(pid_t process) {
  clockid_t clock{};
  return clock_getcpuclockid(process, &clock) == 0 ? clock_ns(clock) : 0;
}

}  // namespace tidemark
