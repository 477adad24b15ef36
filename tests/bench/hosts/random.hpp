/// Numbers that only look random, the same in every run: a library's own would be among what is
/// timed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench_host {

/// Xorshift with 64 bits (Marsaglia, 2003).
class Random {
 public:
  /// Seeds next to each other begin far apart.
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }

 private:
  std::uint64_t state_;
};

}  // namespace bench_host
