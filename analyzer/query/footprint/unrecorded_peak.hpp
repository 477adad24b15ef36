/// Upper bounds of peaks including the programs that were not recorded.
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

/// Adds the most that each unrecorded program can have had, during the time in which it ran.
/// Excludes shared memory that such a program left behind.
/// @return none if nothing is known of one of them, or some process ran on after the recording. All
/// zeros if all programs were recorded.
std::optional<HighestPossible> highest_with_unrecorded(Timeline& timeline, const trace::Loss& loss);

}  // namespace tidemark::analyzer
