/// Sizes that many tests count in.
#pragma once

#include <cstdint>

namespace tidemark::tests {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

}  // namespace tidemark::tests
