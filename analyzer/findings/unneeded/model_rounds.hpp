/// A program that loads its model again and again, as a benchmark or an evaluation does.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// 4 bits of a float32: what is made of a model is no smaller than this part of it.
constexpr std::uint64_t kNarrowestPart = 8;

/// The footprint right before the model was first read or mapped.
std::uint64_t footprint_before_load(const Evidence& evidence);

/// In how many rounds the whole model stood in some of these blocks, and so little of the load was
/// left when they had gone that nothing can have been made of it. A round is a time in which any of
/// them is there.
std::size_t rounds_that_leave_nothing(const Evidence& evidence,
                                      const std::vector<std::uint32_t>& lives);

}  // namespace tidemark::analyzer
