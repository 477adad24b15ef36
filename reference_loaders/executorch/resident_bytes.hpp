#pragma once

#include <cstdint>

namespace tidemark::loaders::executorch {

/// Resident bytes of this process now, and their maximum so far, from the kernel. Zero if it does
/// not say.
struct ResidentBytes {
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
};

ResidentBytes resident_bytes();

}  // namespace tidemark::loaders::executorch
