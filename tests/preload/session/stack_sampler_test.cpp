// Which blocks have their stack taken when stacks are sampled.
#include "preload/session/stack_sampler.hpp"

#include "preload/hooks/heap.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace tidemark;
using preload::StackSampler;
using preload::ThreadState;
using tests::drain;
using tests::GuestSession;

namespace {

constexpr std::uint64_t kMean = 65'536;

StackSampler sampler_of(std::uint64_t seed, std::uint64_t mean = kMean) {
  StackSampler sampler{};
  sampler.begin(mean, seed);
  return sampler;
}

std::vector<bool> taken(StackSampler sampler, std::uint64_t bytes, int blocks) {
  std::vector<bool> all;
  for (int i = 0; i < blocks; ++i)
    all.push_back(sampler.takes(bytes));
  return all;
}

double share_of(const std::vector<bool>& all) {
  return static_cast<double>(std::ranges::count(all, true)) / static_cast<double>(all.size());
}

}  // namespace

TEST_CASE("a block is sampled with the chance that a Poisson process has a point in it",
          "[sampling]") {
  const auto bytes = GENERATE(std::uint64_t{16}, 100U, 4096U, 30'000U, 65'535U);
  CAPTURE(bytes);
  constexpr int kBlocks = 1'000'000;
  const double chance = 1 - std::exp(-static_cast<double>(bytes) / kMean);
  const double deviation = std::sqrt(chance * (1 - chance) / kBlocks);
  CHECK(std::abs(share_of(taken(sampler_of(1), bytes, kBlocks)) - chance) < 4 * deviation);
}

TEST_CASE("whether a block is sampled says nothing of the one behind it", "[sampling]") {
  constexpr std::uint64_t kBytes = 45'426;  // One in two.
  constexpr int kBlocks = 1'000'000;
  const auto all = taken(sampler_of(2), kBytes, kBlocks);
  double both = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    both += all[i - 1] && all[i] ? 1 : 0;
  CHECK(both / kBlocks == Approx(0.25).margin(4 * std::sqrt(0.25 * 0.75 / kBlocks)));
}

TEST_CASE("sizes of all kinds in turn have the chance of their own", "[sampling]") {
  StackSampler sampler = sampler_of(3);
  const std::vector<std::uint64_t> sizes{24, 60'000, 512, 9000};
  std::vector<double> counts(sizes.size());
  constexpr int kRounds = 300'000;
  for (int i = 0; i < kRounds; ++i) {
    for (std::size_t k = 0; k < sizes.size(); ++k)
      counts[k] += sampler.takes(sizes[k]) ? 1 : 0;
  }
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    CAPTURE(sizes[k]);
    const double chance = 1 - std::exp(-static_cast<double>(sizes[k]) / kMean);
    CHECK(std::abs(counts[k] / kRounds - chance) < 4 * std::sqrt(chance * (1 - chance) / kRounds));
  }
}

TEST_CASE("nothing falls into a block without bytes", "[sampling]") {
  CHECK(share_of(taken(sampler_of(4), 0, 100'000)) == 0);
}

TEST_CASE("the largest size to sample by does not overflow", "[sampling]") {
  constexpr std::uint64_t kBytes = wire::kMaxSampleBytes - 1;
  const double share = share_of(taken(sampler_of(5, wire::kMaxSampleBytes), kBytes, 100'000));
  CHECK(share == Approx(1 - std::exp(-1)).margin(0.01));
}

TEST_CASE("another seed samples other blocks", "[sampling]") {
  CHECK(taken(sampler_of(6), 1000, 10'000) == taken(sampler_of(6), 1000, 10'000));
  CHECK(taken(sampler_of(6), 1000, 10'000) != taken(sampler_of(7), 1000, 10'000));
}

TEST_CASE("a record says that its block was not sampled", "[sampling]") {
  GuestSession session;
  session.control().sample_bytes = kMean;
  GuestSession::run_thread([](ThreadState&) {
    const unwind::FrameState caller = TIDEMARK_CALLER;
    auto* const block = reinterpret_cast<void*>(0x1000);
    for (int i = 0; i < 1000; ++i) {
      preload::record_named_allocation(block, 1000, caller);
      preload::record_named_realloc_end(block, kMean - 1, caller);
      preload::record_named_allocation(block, kMean, caller);
    }
  });
  int small = 0;
  int nearly_large = 0;
  for (const RawRecord& record : drain(session)) {
    const bool is_sampled = record.stack != wire::kUnsampledStack;
    if (record.size == 1000)
      small += is_sampled ? 1 : 0;
    if (record.size == kMean - 1)
      nearly_large += is_sampled ? 1 : 0;
    if (record.size == kMean)
      CHECK(wire::node_of_stack(record.stack) != wire::kNoNode);
  }
  // 15 and 632 of a thousand; ten standard deviations, as the seed is of this moment.
  CHECK(small < 15 + 39);
  CHECK(std::abs(nearly_large - 632) < 153);
}

TEST_CASE("without sampling a block has its stack, and one that is too small for it none",
          "[sampling]") {
  GuestSession session;
  session.control().stacks_above = 100;
  GuestSession::run_thread([](ThreadState&) {
    const unwind::FrameState caller = TIDEMARK_CALLER;
    preload::record_named_allocation(reinterpret_cast<void*>(0x1000), 99, caller);
    preload::record_named_allocation(reinterpret_cast<void*>(0x2000), 101, caller);
  });
  for (const RawRecord& record : drain(session)) {
    if (record.size == 99)
      CHECK(record.stack == wire::kNoNode);
    if (record.size == 101)
      CHECK(wire::node_of_stack(record.stack) != wire::kNoNode);
  }
}
