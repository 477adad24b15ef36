/// The regular files that a process has open, as the kernel lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark {

struct OpenFile {
  std::string path;  ///< Of one that has no name any more what the kernel calls it.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::uint64_t position = 0;  ///< Where the next read without an offset begins.
  bool is_unlinked = false;
};

/// Those of `least_bytes` and more that are open for reading alone, among its first descriptors,
/// `most` of them at most. One of several descriptors of one file is the one that has come
/// furthest. Empty where it is gone, or may not be looked into.
std::vector<OpenFile> files_open_to_read(pid_t pid,
                                         std::uint64_t least_bytes,
                                         std::size_t most = 256);

}  // namespace tidemark
