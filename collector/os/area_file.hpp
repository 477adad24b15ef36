/// Identity of the file or object that an area maps, as in /proc/PID/maps.
#pragma once

#include <compare>
#include <cstdint>

namespace tidemark {

/// A file or a shared memory object, identified as in the kernel's list. On some file systems stat
/// reports another device.
struct AreaFile {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< 0: none.

  auto operator<=>(const AreaFile&) const = default;
};

}  // namespace tidemark
