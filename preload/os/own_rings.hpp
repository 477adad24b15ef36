/// What the kernel says of this process's rings of io_uring.
#pragma once

#include <cstdint>

namespace tidemark::preload {

/// How many there are among its first descriptors. Asks the kernel about each of these: not for a
/// hook.
/// @return 0 also where the kernel has taken an entry from one of them, or does not say.
std::uint32_t count_idle_rings();

/// Whether what /proc/PID/fdinfo has of a ring (since Linux 5.19) says so.
bool is_ring_idle(const char* facts);

}  // namespace tidemark::preload
