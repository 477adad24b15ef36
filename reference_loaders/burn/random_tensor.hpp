#pragma once

#include "reference_loaders/burn/output_file.hpp"
#include "reference_loaders/burn/resnet.hpp"

#include <cstdint>
#include <functional>

namespace tidemark::loaders::burn {

/// Writes the elements of tensor `number` of a model: row-major, little-endian.
using WriteTensor = std::function<void(Sink& sink, const TensorSpec& tensor, std::uint64_t number)>;

/// Writes seeded random weights; an int64 scalar, which counts batches, gets a number of its own.
/// @param transposed for a matrix: writes rows as columns. Takes the memory of the matrix.
void write_random_tensor(Sink& sink,
                         const TensorSpec& tensor,
                         std::uint64_t seed,
                         std::uint64_t number,
                         bool transposed);

}  // namespace tidemark::loaders::burn
