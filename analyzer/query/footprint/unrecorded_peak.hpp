/// What peaks can have been with the programs that were not recorded.
#pragma once

#include "analyzer/query/footprint/timeline.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// The highest values, in bytes.
struct HighestPossible {
  std::array<std::uint64_t, trace::kLaneCount> lanes{};
  std::uint64_t footprint = 0;
};

/// With the most that each program that was not recorded can have had, in the time within which it
/// ran. What such a program has left behind in shared memory is not in it.
/// @return none where of one of them nothing is known. All zeros where each was recorded.
std::optional<HighestPossible> highest_with_unrecorded(Timeline& timeline, const trace::Loss& loss);

}  // namespace tidemark::analyzer
