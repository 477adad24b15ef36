/// Recordings in which small heap blocks have a stack only if a sample point fell into them
/// (`record --sample`), and estimates for all blocks from the sampled ones.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstdint>

namespace tidemark::analyzer {

/// True for a block that has its stack only if it was sampled.
constexpr bool is_sampled_block(const trace::Session& session,
                                trace::Lane lane,
                                std::uint64_t bytes) {
  return lane == trace::Lane::kHeap && bytes < session.sample_bytes;
}

/// The stack that a block has independently of sampling. Code that compares stacks of single blocks
/// must use it, else it takes the sampled blocks of a place for all of them.
constexpr trace::StackId certain_stack(const trace::Session& session, const trace::Event& event) {
  return is_sampled_block(session, event.lane, event.size) ? trace::kUnsampledStack : event.stack;
}

/// True if a stack is unsampled: blocks with it need not come from one place.
constexpr bool is_unsampled(const trace::Session& session, trace::StackId stack) {
  return session.sample_bytes != 0 && stack == trace::kUnsampledStack;
}

/// The chance that a block was sampled: that a Poisson process with one point in `sample_bytes`
/// has one in it, 1 - exp(-bytes / sample_bytes).
double sampling_chance(std::uint64_t bytes, std::uint64_t sample_bytes);

/// Estimates sums over all blocks from the sampled ones: the Horvitz-Thompson estimator. Each
/// sampled block stands for 1 / p blocks, p being its own chance, so that the sum of bytes / p has
/// the true sum as its mean whatever the sizes are. Blocks are sampled independently of each other,
/// so its variance is the sum of bytes^2 (1 - p) / p over all blocks, which the sum of bytes^2 (1 -
/// p) / p^2 over the sampled ones estimates without bias.
class SampledSum {
 public:
  explicit SampledSum(std::uint64_t sample_bytes) : sample_bytes_(sample_bytes) {}

  /// A block that was sampled.
  void add(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }  ///< Those sampled.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }    ///< The same.
  [[nodiscard]] std::uint64_t estimate() const;                   ///< The estimated bytes of all.
  /// Two standard errors: the true sum is within them of the estimate about 19 times of 20.
  [[nodiscard]] std::uint64_t error() const;

 private:
  std::uint64_t sample_bytes_;
  std::uint64_t blocks_ = 0;
  std::uint64_t bytes_ = 0;
  double estimate_ = 0;
  double variance_ = 0;
};

/// The most that a place without a sampled block has, 19 times of 20: that many bytes contain no
/// sample point with probability exp(-3), a twentieth.
constexpr std::uint64_t most_without_sample(std::uint64_t sample_bytes) {
  return 3 * sample_bytes;
}

}  // namespace tidemark::analyzer
