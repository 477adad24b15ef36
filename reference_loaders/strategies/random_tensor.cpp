#include "reference_loaders/strategies/random_tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tidemark::loaders::strategies {
namespace {

constexpr std::size_t kBufferFloats = std::size_t{16} * 1024;
static_assert(kBufferFloats % RandomWeights::kLanes == 0, "pieces must join into one row");

void to_bfloat16(std::span<const float> from, std::byte* to) {
  for (std::size_t at = 0; at < from.size(); ++at) {
    const auto bits = std::bit_cast<std::uint32_t>(from[at]);
    // To nearest, ties to even. None of the weights is a NaN.
    const auto half = static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    std::memcpy(to + at * sizeof half, &half, sizeof half);
  }
}

}  // namespace

RandomTensor::RandomTensor(const TensorType& type, std::uint64_t seed, std::uint64_t tensor)
    : is_bfloat16_(&type == &bfloat16()), weights_(seed, tensor), buffer_(kBufferFloats) {}

void RandomTensor::fill(std::span<std::byte> bytes) {
  const std::size_t piece = kBufferFloats * (is_bfloat16_ ? 2 : sizeof(float));
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size()))) {
    fill_piece(bytes.first(std::min(piece, bytes.size())));
  }
}

void RandomTensor::fill_piece(std::span<std::byte> bytes) {
  const std::size_t width = is_bfloat16_ ? 2 : sizeof(float);
  const std::span<float> row(buffer_.data(), (bytes.size() + width - 1) / width);
  weights_.fill(row);
  if (is_bfloat16_) {
    to_bfloat16(row, bytes.data());
  } else {
    std::memcpy(bytes.data(), row.data(), bytes.size());
  }
}

}  // namespace tidemark::loaders::strategies
