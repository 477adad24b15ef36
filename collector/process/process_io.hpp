/// What the kernel says a process has read, against which the recorded reads are held.
#pragma once

#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace tidemark {

/// `rchar` of /proc/PID/io: what read, pread, readv and sendfile gave, from files, pipes, sockets
/// and terminals, by this process and by its children that it has waited for. Reads by io_uring and
/// libaio, splice, recv and pages of mappings are not in it (seen on Linux 6.18). Of a process that
/// has ended it is still told until somebody waits for it.
/// @return none when it is gone, or may not be looked into.
std::optional<std::uint64_t> bytes_read_by(pid_t pid);

/// Rings of io_uring that a process has open, among its first descriptors.
struct RingsOfProcess {
  std::uint32_t idle = 0;  ///< The kernel has taken nothing from them.
  std::uint32_t used = 0;  ///< It has, or does not say (before Linux 5.19).

  bool operator==(const RingsOfProcess&) const = default;
};
/// @param most of the descriptors so many at most.
RingsOfProcess rings_of(pid_t pid, std::size_t most = wire::kMaxRingDescriptors);

}  // namespace tidemark
