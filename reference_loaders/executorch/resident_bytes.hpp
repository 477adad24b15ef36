#pragma once

#include <cstdint>

namespace tidemark::loaders::executorch {

/// What the kernel says of this process: bytes resident now, and the most there ever were. Zero
/// where it does not say.
struct ResidentBytes {
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
};

ResidentBytes resident_bytes();

}  // namespace tidemark::loaders::executorch
