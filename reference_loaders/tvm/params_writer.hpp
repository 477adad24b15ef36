#pragma once

#include "reference_loaders/tvm/ndarray.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::loaders::tvm {

/// Writes `params` as TVM's `SaveParams` does, in name order.
void write_params(Stream& stream, const Params& params);

/// What one tensor of a made-up model looks like. Always float32.
struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// A model of `weight_bytes`: 24 matrices as equal as whole rows allow, and a vector of what is
/// left over. Named as TVM names late-bound constants, `const_<index>`.
/// @throws UsageError when `weight_bytes` is too small, or not a multiple of a float's 4 bytes.
std::vector<TensorSpec> model_of(std::uint64_t weight_bytes);

/// Size of the file that `write_random_params` writes.
std::uint64_t params_file_bytes(const std::vector<TensorSpec>& model);

/// Writes `model` with seeded random weights, through one small buffer whatever its size.
void write_random_params(Stream& stream, const std::vector<TensorSpec>& model, std::uint64_t seed);

/// The same into `file`, which appears under its name only when it is complete.
/// @throws std::system_error when it cannot be written; nothing is left behind then.
void write_random_params_file(const std::filesystem::path& file,
                              const std::vector<TensorSpec>& model,
                              std::uint64_t seed);

}  // namespace tidemark::loaders::tvm
