#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::loaders {

/// An endless, repeatable row of float32 weights, uniform in [-0.05, 0.05).
///
/// Several xoshiro128+ generators side by side, so that the compiler makes vector code of it: a
/// model file is written at the speed of the disk, not of the generator. `seed` picks the model,
/// `tensor` the row within it, so any tensor can be made without those before it.
class RandomWeights {
 public:
  RandomWeights(std::uint64_t seed, std::uint64_t tensor);

  /// The next weights. Pieces whose sizes are multiples of `kLanes` give the same row as one call;
  /// after any other size the rest of the last group is skipped.
  void fill(std::span<float> weights);

  static constexpr std::size_t kLanes = 16;

 private:
  using Lanes = std::array<std::uint32_t, kLanes>;

  void next(float* group);

  std::array<Lanes, 4> state_{};
};

}  // namespace tidemark::loaders
