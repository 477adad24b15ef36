/// SysV shared memory, as the kernel lists it.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace tidemark {

struct SharedSegment {
  std::uint64_t bytes = 0;  ///< Its length.
  std::uint64_t held = 0;   ///< Bytes in memory or in swap.
};

/// Each IPC namespace counts its segments from 0.
struct SegmentName {
  std::uint64_t ipc_namespace = 0;  ///< Inode from its link in /proc.
  int number = 0;                   ///< shmat's.

  bool operator==(const SegmentName&) const = default;
};

/// The segment that a process knows as `number`. If it is gone: the one in our own namespace.
/// @param pid 0: our own process.
SegmentName name_segment(pid_t pid, int number);

/// @return empty if there is no such segment, or if it is in another IPC namespace, whose list
/// cannot be read from outside.
std::optional<SharedSegment> find_segment(const SegmentName& name);

}  // namespace tidemark
