#pragma once

#include "reference_loaders/system.hpp"

#include <cstdint>

/// What each chain has requested at its peak, in bytes, from the tensors in the order of the file.
/// Names, maps and the directory of the file are left out: a kilobyte for each tensor.
namespace tidemark::loaders::burn {

/// Capacity of a vector that `count` elements were pushed to: 0, 1, 4, 8, 16 ...
std::uint64_t pushed_capacity(std::uint64_t count);

/// Bytes of the vectors of nodes when all are there: what the published figure counts.
std::uint64_t node_bytes(const ModelFacts& facts);

/// The same of the typed vectors of pull request 1751; of nodes for what is neither 2 nor 4 bytes.
std::uint64_t typed_bytes(const ModelFacts& facts);

std::uint64_t nested_peak(const ModelFacts& facts);
std::uint64_t typed_peak(const ModelFacts& facts);
std::uint64_t bytes_peak(const ModelFacts& facts);
std::uint64_t lazy_peak(const ModelFacts& facts);
std::uint64_t mpk_elements_peak(const ModelFacts& facts);
std::uint64_t mpk_bytes_peak(const ModelFacts& facts);

}  // namespace tidemark::loaders::burn
