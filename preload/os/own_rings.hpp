/// What the kernel says of this process's rings of io_uring.
#pragma once

#include <cstdint>

namespace tidemark::preload {

struct OwnRings {
  std::uint32_t idle = 0;
  std::uint32_t used = 0;  ///< The kernel has taken an entry from them, or does not say.
};
/// Those among its first descriptors but for the ones that `is_known`. Asks the kernel about each
/// descriptor: not for a hook. Where a filter forbids that, one counts as used.
OwnRings own_rings(bool (*is_known)(int descriptor));

/// Whether what /proc/PID/fdinfo has of a ring (since Linux 5.19) says so.
bool is_ring_idle(const char* facts);

}  // namespace tidemark::preload
