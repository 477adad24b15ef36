#pragma once

#include <cstdint>
#include <span>

/// float16 as ggml stores weights: IEEE 754 binary16, converted without the hardware's help, so
/// that every machine gets the same bits.
namespace tidemark::loaders::ggml {

/// Rounds to nearest, ties to even. Sizes must be equal.
void to_half(std::span<const float> from, std::span<std::uint16_t> to);

/// Exact. Sizes must be equal.
void to_float(std::span<const std::uint16_t> from, std::span<float> to);

}  // namespace tidemark::loaders::ggml
