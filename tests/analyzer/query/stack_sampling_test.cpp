#include "analyzer/query/stack_sampling.hpp"

#include "analyzer/query/live/live_set.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <random>
#include <vector>

using namespace tidemark;
using analyzer::SampledSum;
using tests::TraceBuilder;

namespace {

constexpr std::uint64_t kSample = 64 << 10U;

/// A program's small blocks, of all kinds of sizes: 6 MiB or so.
std::vector<std::uint64_t> some_blocks(std::mt19937_64& random) {
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 3000; ++i) {
    const double size = std::exp(std::uniform_real_distribution<>(3, 9.5)(random));
    blocks.push_back(static_cast<std::uint64_t>(size));
  }
  return blocks;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& blocks) {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : blocks) {
    sum += bytes;
  }
  return sum;
}

SampledSum sampled(const std::vector<std::uint64_t>& blocks, std::mt19937_64& random) {
  SampledSum sum(kSample);
  for (const std::uint64_t bytes : blocks) {
    if (std::bernoulli_distribution(analyzer::sampling_chance(bytes, kSample))(random)) {
      sum.add(bytes);
    }
  }
  return sum;
}

bool covers(const SampledSum& sum, std::uint64_t truth) {
  const auto off = static_cast<double>(sum.estimate()) - static_cast<double>(truth);
  return std::abs(off) <= static_cast<double>(sum.error());
}

}  // namespace

TEST_CASE("the chance of a block is that of a point in its bytes", "[sampling]") {
  CHECK(analyzer::sampling_chance(0, kSample) == 0);
  CHECK(analyzer::sampling_chance(kSample, kSample) == Approx(1 - std::exp(-1)));
  // A block of a byte, without the rounding of 1 - exp(-x).
  CHECK(analyzer::sampling_chance(1, std::uint64_t{1} << 40U) == Approx(std::ldexp(1, -40)));
}

TEST_CASE("a small sampled block stands for as many bytes as lie between points", "[sampling]") {
  SampledSum sum(kSample);
  sum.add(16);
  CHECK(sum.blocks() == 1);
  CHECK(sum.bytes() == 16);
  CHECK(sum.estimate() == Approx(kSample).epsilon(0.001));
  CHECK(sum.error() == Approx(2 * kSample).epsilon(0.001));
}

TEST_CASE("sizes that a damaged trace may have end in numbers, not in overflows", "[sampling]") {
  SampledSum sum(1024);
  sum.add(0);
  CHECK(sum.estimate() == 0);
  for (int i = 0; i < 4; ++i) {
    sum.add(UINT64_MAX);
  }
  CHECK(sum.estimate() > std::uint64_t{1} << 62U);
}

TEST_CASE("the estimate is right on average, and as far off as it says", "[sampling][simulation]") {
  std::mt19937_64 random(17);
  const auto blocks = some_blocks(random);
  const std::uint64_t truth = sum_of(blocks);
  constexpr int kTrials = 4000;
  double mean = 0;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    const SampledSum sum = sampled(blocks, random);
    mean += static_cast<double>(sum.estimate()) / kTrials;
    covered += covers(sum, truth) ? 1 : 0;
  }
  // About a hundred blocks are sampled: one standard error is a tenth, of the mean of all trials a
  // sixtieth of that.
  CHECK(mean == Approx(static_cast<double>(truth)).epsilon(0.006));
  CHECK(covered > kTrials * 0.935);
  CHECK(covered < kTrials * 0.97);
}

TEST_CASE("with few sampled blocks the interval still holds nine times of ten",
          "[sampling][simulation]") {
  std::mt19937_64 random(18);
  const std::vector<std::uint64_t> blocks(1000, 10 * kSample / 1000);  // Ten points on average.
  constexpr int kTrials = 10'000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    covered += covers(sampled(blocks, random), sum_of(blocks)) ? 1 : 0;
  }
  CHECK(covered > kTrials * 0.90);
}

TEST_CASE("a place without a sampled block has less than is said of it, 19 times of 20",
          "[sampling][simulation]") {
  std::mt19937_64 random(19);
  const std::vector<std::uint64_t> blocks(1000, analyzer::most_without_sample(kSample) / 1000);
  constexpr int kTrials = 10'000;
  int missed = 0;
  for (int i = 0; i < kTrials; ++i) {
    missed += sampled(blocks, random).blocks() == 0 ? 1 : 0;
  }
  CHECK(missed / static_cast<double>(kTrials) == Approx(0.05).margin(0.01));
}

TEST_CASE("by certain stacks no small block is its function's, sampled or not", "[sampling]") {
  TraceBuilder trace;
  trace.session.sample_bytes = kSample;
  const auto unsampled = trace.stack({trace::kUnsampledStackName});
  const auto load = trace.stack({"malloc", "load", "main"});
  REQUIRE(unsampled == trace::kUnsampledStack);
  trace.allocate(100, load);
  trace.allocate(100, unsampled);
  trace.allocate(kSample, load);
  trace.allocate(50, load, trace::Lane::kAnon);
  auto loaded = trace.open();
  const auto end = loaded.instant_at(UINT64_MAX);

  const auto live = analyzer::certain_live_set_at(loaded, end);

  REQUIRE(live.stacks.size() == 3);
  CHECK(live.stacks[0].bytes == kSample);
  CHECK(live.stacks[0].stack == load);
  CHECK(live.stacks[1].bytes == 200);
  CHECK(live.stacks[1].stack == trace::kUnsampledStack);
  CHECK(live.stacks[2].lane == trace::Lane::kAnon);
  CHECK(live.stacks[2].stack == load);
  CHECK(analyzer::live_set_at(loaded, end).stacks[0].bytes == kSample + 100);
}
