/// What the kernel says a process has read, against which the recorded reads are held.
#pragma once

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

/// True where a process has an io_uring open: among its first descriptors, `most` of them at most.
bool has_ring(pid_t pid, std::size_t most = 256);

}  // namespace tidemark
