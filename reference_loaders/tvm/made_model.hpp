#pragma once

#include "reference_loaders/tvm/ndarray.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::loaders::tvm {

/// What one tensor of a made-up model looks like. Always float32.
struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;

  [[nodiscard]] std::uint64_t bytes() const { return tensor_bytes(shape, kFloat32).value(); }
};

/// A model of `weight_bytes`: 24 matrices as equal as whole rows allow, and a vector of what is
/// left over. Named as TVM names late-bound constants, `const_<index>`, whatever file it goes into:
/// all files of one size and seed hold the same model.
/// @throws UsageError when `weight_bytes` is too small, or not a multiple of a float's 4 bytes.
std::vector<TensorSpec> model_of(std::uint64_t weight_bytes);

/// "const_7": how TVM names the constant at an index.
std::string constant_name(std::uint64_t index);

}  // namespace tidemark::loaders::tvm
