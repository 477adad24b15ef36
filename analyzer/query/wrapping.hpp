/// Sums of differences that a hostile trace may make arbitrarily large.
#pragma once

#include <cstdint>

namespace tidemark::analyzer {

/// Modulo 2^64, as lane totals are: exact if the true sum fits, and defined if it does not.
constexpr std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

constexpr std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// `bytes` after a change of them; never below 0.
constexpr std::uint64_t changed(std::uint64_t bytes, std::int64_t change) {
  const std::uint64_t gone = change < 0 ? 0 - static_cast<std::uint64_t>(change) : 0;
  return change < 0 ? bytes - (gone < bytes ? gone : bytes)
                    : bytes + static_cast<std::uint64_t>(change);
}

/// `bytes` as a negative change.
constexpr std::int64_t minus(std::uint64_t bytes) {
  return static_cast<std::int64_t>(0 - bytes);
}

}  // namespace tidemark::analyzer
