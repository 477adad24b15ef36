/// The kernel's count of bytes that a process has read, to check recorded reads against.
#pragma once

#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace tidemark {

/// `rchar` of /proc/PID/io: bytes returned by read, pread, readv and sendfile from files, pipes,
/// sockets and terminals, for this process and the children that it has waited for. Excludes
/// io_uring, libaio, splice, recv and page faults of mappings (seen on Linux 6.18). Still available
/// for an ended process until somebody waits for it.
/// @return none if it is gone or access is denied.
std::optional<std::uint64_t> bytes_read_by(pid_t pid);

/// Rings of io_uring that a process has open, among its first descriptors.
struct RingsOfProcess {
  std::uint32_t idle = 0;  ///< The kernel has taken no entry from them.
  std::uint32_t used = 0;  ///< It has, or does not say (before Linux 5.19).

  bool operator==(const RingsOfProcess&) const = default;
};
/// @param most number of descriptors to check at most.
RingsOfProcess rings_of(pid_t pid, std::size_t most = wire::kMaxRingDescriptors);

}  // namespace tidemark
