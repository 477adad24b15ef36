/// What an area of a process's memory is of, as /proc/PID/maps names it.
#pragma once

#include <compare>
#include <cstdint>

namespace tidemark {

/// A file, or memory that areas share, as the kernel's list tells it from all others. Some file
/// systems give stat another device.
struct AreaFile {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< 0: none.

  auto operator<=>(const AreaFile&) const = default;
};

}  // namespace tidemark
