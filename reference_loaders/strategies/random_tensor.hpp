#pragma once

#include "reference_loaders/random_weights.hpp"
#include "reference_loaders/strategies/tensor_type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::loaders::strategies {

/// The bytes of a tensor of seeded random weights, piece by piece through a small buffer.
/// bfloat16 is rounded to nearest; every type that is neither that nor float32 gets float32's
/// bytes.
class RandomTensor {
 public:
  /// `tensor` picks the tensor within the model that `seed` picks.
  RandomTensor(const TensorType& type, std::uint64_t seed, std::uint64_t tensor);

  /// The next bytes.
  void fill(std::span<std::byte> bytes);

 private:
  void fill_piece(std::span<std::byte> bytes);

  bool is_bfloat16_;
  RandomWeights weights_;
  std::vector<float> buffer_;
};

}  // namespace tidemark::loaders::strategies
