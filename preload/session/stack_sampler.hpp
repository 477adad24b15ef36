/// Which small heap allocations have their stack taken: `tidemark record --sample`.
#pragma once

#include <cstdint>

namespace tidemark::preload {

/// Over the sequence of bytes that a thread allocates, sample points form a Poisson process with
/// one point per `mean` bytes: a block of s bytes contains one with probability 1 - exp(-s / mean),
/// whatever came before it. Integer arithmetic only: floating point would set flags that the host
/// can read, or raise a signal that it enabled.
///
/// One per thread. All zeros is the valid initial state: switched off.
class StackSampler {
 public:
  /// @param mean 1 to wire::kMaxSampleBytes.
  void begin(std::uint64_t mean, std::uint64_t seed) {
    mean_ = mean;
    random_ = seed;
    left_ = draw();
  }

  [[nodiscard]] bool is_on() const { return mean_ != 0; }

  /// Advances by the thread's next `bytes`, fewer than the mean. @return true if they contain a
  /// sample point. Several points count as one: the process is memoryless, so the next is drawn
  /// anew from the end.
  [[nodiscard]] bool takes(std::uint64_t bytes) {
    bool is_passed = false;
    // One instruction: a handler on this thread counts its own bytes before or after these.
    asm volatile("subq %2, %0" : "+m"(left_), "=@ccs"(is_passed) : "r"(bytes) : "memory");
    if (!is_passed) [[likely]]
      return false;
    // A handler that leaves by longjmp here leaves left_ negative, and the next block draws.
    left_ = draw();
    return true;
  }

  /// The finaliser of splitmix64: flipping one bit of `number` flips about half of the result's
  /// bits.
  static constexpr std::uint64_t mix(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31);
  }

 private:
  static constexpr std::uint64_t kMaxMeans = 63;  ///< Only one gap in e^63 is longer.

  std::uint64_t next_random() {
    random_ += 0x9E3779B97F4A7C15U;
    return mix(random_);
  }

  /// Bytes before the next sample point, exponentially distributed by von Neumann's comparison of
  /// uniform numbers, which is exact and needs no logarithm: a falling run of numbers that begins
  /// with x has odd length with probability exp(-x), and each run of even length adds one mean.
  std::int64_t draw() {
    std::uint64_t means = 0;
    for (;;) {
      const std::uint64_t first = next_random();
      std::uint64_t last = first;
      bool is_odd = true;
      for (std::uint64_t next = next_random(); next < last; next = next_random()) {
        last = next;
        is_odd = !is_odd;
      }
      if (is_odd || means == kMaxMeans)
        return static_cast<std::int64_t>(means * mean_ +
                                         static_cast<std::uint64_t>((Wide{first} * mean_) >> 64));
      ++means;
    }
  }

  __extension__ using Wide = unsigned __int128;

  std::int64_t left_;  ///< Bytes before the next sample point.
  std::uint64_t mean_;
  std::uint64_t random_;
};

}  // namespace tidemark::preload
