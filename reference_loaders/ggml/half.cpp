#include "reference_loaders/ggml/half.hpp"

#include <bit>
#include <cstddef>

namespace tidemark::loaders::ggml {
namespace {

// Branches would keep the compiler from making vector code: both ways are computed, one is chosen.

std::uint16_t half_of(float value) {
  constexpr std::uint32_t kSmallestNormal = 0x38800000;  // 2^-14
  constexpr std::uint32_t kTooLarge = 0x47800000;        // 2^16
  constexpr std::uint32_t kInfinity = 0x7f800000;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffff;

  // 112 is the difference of the exponents' biases; 13 the bits of fraction that are dropped.
  const std::uint32_t rounding = 0xfff + ((magnitude >> 13) & 1);
  const std::uint32_t normal = (magnitude + rounding - (112U << 23)) >> 13;
  // The last place of 0.5 is 2^-24, which is that of a subnormal half: adding rounds to it.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
      std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t special = magnitude > kInfinity ? 0x7e00 : 0x7c00;

  const std::uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
  const std::uint32_t half = magnitude >= kTooLarge ? special : finite;
  return static_cast<std::uint16_t>(half | ((bits >> 16) & 0x8000));
}

float float_of(std::uint16_t half) {
  constexpr auto kTwoTo112 = std::bit_cast<float>(std::uint32_t{127 + 112} << 23);
  const std::uint32_t sign = (std::uint32_t{half} & 0x8000) << 16;
  const std::uint32_t magnitude = (std::uint32_t{half} & 0x7fff) << 13;
  // Scaling instead of adding to the exponent makes subnormal halfs right as well.
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * kTwoTo112);
  const std::uint32_t special = magnitude | 0x7f800000;
  return std::bit_cast<float>(sign | ((half & 0x7c00) == 0x7c00 ? special : finite));
}

}  // namespace

void to_half(std::span<const float> from, std::span<std::uint16_t> to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = half_of(from[i]);
  }
}

void to_float(std::span<const std::uint16_t> from, std::span<float> to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = float_of(from[i]);
  }
}

}  // namespace tidemark::loaders::ggml
