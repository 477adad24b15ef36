#include "analyzer/query/stack_sampling.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::analyzer {
namespace {

/// A trace may say anything of its blocks' sizes.
std::uint64_t rounded(double bytes) {
  constexpr double kMaxBytes = 9.2e18;
  return static_cast<std::uint64_t>(std::llround(std::min(bytes, kMaxBytes)));
}

}  // namespace

double sampling_chance(std::uint64_t bytes, std::uint64_t sample_bytes) {
  return -std::expm1(-static_cast<double>(bytes) / static_cast<double>(sample_bytes));
}

void SampledSum::add(std::uint64_t bytes) {
  if (bytes == 0) {
    return;  // No point falls into it.
  }
  const double chance = sampling_chance(bytes, sample_bytes_);
  const double stands_for = static_cast<double>(bytes) / chance;
  ++blocks_;
  bytes_ += bytes;
  estimate_ += stands_for;
  variance_ += stands_for * stands_for * (1 - chance);
}

std::uint64_t SampledSum::estimate() const {
  return rounded(estimate_);
}

std::uint64_t SampledSum::error() const {
  return rounded(2 * std::sqrt(variance_));
}

}  // namespace tidemark::analyzer
