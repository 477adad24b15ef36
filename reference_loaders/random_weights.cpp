#include "reference_loaders/random_weights.hpp"

#include <algorithm>
#include <bit>

namespace tidemark::loaders {
namespace {

/// Spreads two small numbers over the whole state, as the authors of xoshiro advise.
std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

RandomWeights::RandomWeights(std::uint64_t seed, std::uint64_t tensor) {
  std::uint64_t mixed = seed;
  mixed = splitmix64(mixed) ^ tensor;
  for (Lanes& word : state_) {
    for (std::uint32_t& lane : word) {
      lane = static_cast<std::uint32_t>(splitmix64(mixed));
    }
  }
}

void RandomWeights::fill(std::span<float> weights) {
  const std::size_t whole = weights.size() / kLanes * kLanes;
  for (std::size_t at = 0; at < whole; at += kLanes) {
    next(weights.data() + at);
  }
  if (whole < weights.size()) {
    std::array<float, kLanes> last{};
    next(last.data());
    std::copy_n(last.begin(), weights.size() - whole,
                weights.begin() + static_cast<std::ptrdiff_t>(whole));
  }
}

void RandomWeights::next(float* group) {
  constexpr std::uint32_t kOne = 0x3f800000;  // 1.0f; the 23 bits below it are the fraction
  auto& [s0, s1, s2, s3] = state_;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t random = s0[lane] + s3[lane];
    const std::uint32_t shifted = s1[lane] << 9;
    s2[lane] ^= s0[lane];
    s3[lane] ^= s1[lane];
    s1[lane] ^= s2[lane];
    s0[lane] ^= s3[lane];
    s2[lane] ^= shifted;
    s3[lane] = std::rotl(s3[lane], 11);
    group[lane] = (std::bit_cast<float>(kOne | (random >> 9)) - 1.5F) * 0.1F;
  }
}

}  // namespace tidemark::loaders
