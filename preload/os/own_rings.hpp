/// Asks the kernel about this process's io_uring rings.
#pragma once

#include <cstdint>

namespace tidemark::preload {

struct OwnRings {
  std::uint32_t idle = 0;
  std::uint32_t used = 0;  ///< Rings from which the kernel has taken an entry, or may have.
};
/// Counts the rings among the first kMaxRingDescriptors descriptors, except those that `is_known`.
/// Makes system calls for each descriptor: too slow for a hook. If a seccomp filter forbids them,
/// reports one used ring.
OwnRings own_rings(bool (*is_known)(int descriptor));

/// Whether a ring is idle by its text in /proc/PID/fdinfo (since Linux 5.19).
bool is_ring_idle(const char* facts);

}  // namespace tidemark::preload
