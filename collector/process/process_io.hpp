/// What the kernel knows of the reads of a process, to check recorded reads against.
#pragma once

#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// A regular file that a process has open, and how far in it is.
struct OpenFile {
  int descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;      ///< Bytes.
  std::uint64_t position = 0;  ///< Byte at which the next read without an offset begins.
  std::string path;            ///< In the process's own root.
  bool is_writable = false;
  bool is_unlinked = false;

  [[nodiscard]] bool is_same_file(const OpenFile& other) const {
    return device == other.device && inode == other.inode;
  }
};
/// Those of at least `least_bytes` that can be read, among the first `most` descriptors.
std::vector<OpenFile> open_files_of(pid_t pid, std::uint64_t least_bytes, std::size_t most = 1024);

}  // namespace tidemark
