/// Programs that load their model again and again, as benchmarks and evaluations do.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Nothing made from a model is smaller than this part of it: 4 bits for each float32.
constexpr std::uint64_t kNarrowestPart = 8;

/// The footprint right before the model was first read or mapped.
std::uint64_t footprint_before_load(const Evidence& evidence);

/// In how many rounds the whole model was in some of these blocks, and so little of the load was
/// left after they had gone that nothing can have been made from it. A round is a time in which any
/// of them is alive.
std::size_t rounds_that_leave_nothing(const Evidence& evidence,
                                      const std::vector<std::uint32_t>& lives);

}  // namespace tidemark::analyzer
