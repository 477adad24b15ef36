/// SysV shared memory, as the kernel lists it.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace tidemark {

struct SharedSegment {
  std::uint64_t bytes = 0;  ///< Its length.
  std::uint64_t held = 0;   ///< Of them in memory or in swap.
};

/// Each IPC namespace counts its segments from 0.
struct SegmentName {
  std::uint64_t ipc_namespace = 0;  ///< As its link in /proc has it.
  int number = 0;                   ///< shmat's.

  bool operator==(const SegmentName&) const = default;
};

/// What a process calls `number`. Of one that has gone: what we would call so.
/// @param pid 0: our own process.
SegmentName name_segment(pid_t pid, int number);

/// @return empty where there is no such segment, and where it is of another namespace than ours,
/// whose list nobody outside can read.
std::optional<SharedSegment> find_segment(const SegmentName& name);

}  // namespace tidemark
