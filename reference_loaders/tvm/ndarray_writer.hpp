#pragma once

#include "reference_loaders/random_weights.hpp"
#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/ndarray.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <cstdint>

namespace tidemark::loaders::tvm {

/// Writes `tensor` as TVM's `SaveDLTensor` does. @throws std::system_error, as all of these
void write_ndarray(Stream& stream, const NDArray& tensor);

/// The same for a tensor of made-up weights.
void write_random_ndarray(Stream& stream, const TensorSpec& tensor, const RandomWeights& weights);

/// `bytes`, a multiple of 4, of made-up weights and nothing else, through one small buffer.
void write_random_payload(Stream& stream, std::uint64_t bytes, RandomWeights weights);

/// Bytes that `write_random_ndarray` writes.
std::uint64_t ndarray_file_bytes(const TensorSpec& tensor);

}  // namespace tidemark::loaders::tvm
