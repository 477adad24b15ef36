/// Which small heap allocations have their stack taken: `tidemark record --sample`.
#pragma once

#include <cstdint>

namespace tidemark::preload {

/// Sample points lie on the bytes that a thread allocates, one after the other, as a Poisson
/// process with one point in `mean` bytes: a block of s bytes has one inside with the probability
/// 1 - exp(-s / mean), whatever came before it. Integers alone: an instruction of the floating
/// point unit would set flags that the host can read, or raise the signal that it asked for.
///
/// One thread's. All zeros is the valid initial state: switched off.
class StackSampler {
 public:
  /// @param mean 1 to wire::kMaxSampleBytes.
  void begin(std::uint64_t mean, std::uint64_t seed) {
    mean_ = mean;
    random_ = seed;
    left_ = draw();
  }

  [[nodiscard]] bool is_on() const { return mean_ != 0; }

  /// The next `bytes` of the thread, fewer than the mean. @return true where a sample point is
  /// among them. How many more of them there are makes no difference to where the next one behind
  /// them is.
  [[nodiscard]] bool takes(std::uint64_t bytes) {
    bool is_passed = false;
    // One instruction: a handler on this thread counts its own bytes before or after these.
    asm volatile("subq %2, %0" : "+m"(left_), "=@ccs"(is_passed) : "r"(bytes) : "memory");
    if (!is_passed) [[likely]]
      return false;
    // A handler that leaves from here by longjmp leaves a number below 0, and the next block draws.
    left_ = draw();
    return true;
  }

  /// The finaliser of splitmix64: one bit of `number` changes half of the result's.
  static constexpr std::uint64_t mix(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31);
  }

 private:
  static constexpr std::uint64_t kMaxMeans = 63;  ///< Further away is one point in e^63.

  std::uint64_t next_random() {
    random_ += 0x9E3779B97F4A7C15U;
    return mix(random_);
  }

  /// Bytes before the next sample point: exponentially distributed, by von Neumann's comparison of
  /// uniform numbers, which is exact and needs no logarithm. A run of numbers that fall, begun by
  /// x, has an odd length with the probability exp(-x); each run of an even length adds one mean.
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
