#pragma once

#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/ndarray.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::loaders::tvm {

/// Writes `params` as TVM's `SaveParams` does, in name order.
void write_params(Stream& stream, const Params& params);

/// Size of the file that `write_random_params` writes.
std::uint64_t params_file_bytes(const std::vector<TensorSpec>& model);

/// Writes `model` with seeded random weights, through one small buffer whatever its size.
void write_random_params(Stream& stream, const std::vector<TensorSpec>& model, std::uint64_t seed);

}  // namespace tidemark::loaders::tvm
