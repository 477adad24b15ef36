/// SysV shared memory, as the kernel lists it.
#pragma once

#include <cstdint>
#include <optional>

namespace tidemark {

struct SharedSegment {
  std::uint64_t bytes = 0;  ///< Its length.
  std::uint64_t held = 0;   ///< Of them in memory or in swap.
};

/// @return empty where there is no such segment in our own IPC namespace.
std::optional<SharedSegment> find_segment(int id);

}  // namespace tidemark
