// Stacks that are folded by several limits, one after the other: as if each had been the first.
#include "analyzer/html/contents/folding.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace tidemark;
using html::FoldedStack;
using html::Folding;
using html::FoldLimits;
using html::HeldStacks;
using tests::TraceBuilder;

namespace {

/// Blocks of random sizes, most of them small, by hundreds of stacks of up to five functions.
struct ManyStacks {
  explicit ManyStacks(unsigned seed) : random(seed) {
    TraceBuilder trace;
    std::vector<trace::StackId> ids;
    for (int i = 0; i < kStacks; ++i) {
      std::vector<std::string> frames;
      for (std::uint64_t depth = 1 + random() % 5; depth != 0; --depth)
        frames.push_back("f" + std::to_string(random() % 4) +
                         " a.cpp:" + std::to_string(random() % 2));
      frames.push_back("main");
      ids.push_back(trace.stack(frames));
    }
    loaded.emplace(trace.open());
    shared.emplace(loaded->definitions(), forest);
    stacks.emplace(*shared, forest);
    for (const trace::StackId id : ids) {
      const auto lane = random() % 4 == 0 ? trace::Lane::kAnon : trace::Lane::kHeap;
      const std::uint64_t bytes = std::uint64_t{1} << random() % 20;
      stacks->apply({0, id, lane, static_cast<std::int64_t>(bytes), 1});
      if (random() % 8 == 0)
        stacks->apply({1, id, lane, -static_cast<std::int64_t>(bytes), -1});
    }
  }
  static constexpr int kStacks = 600;
  std::mt19937 random;
  std::optional<analyzer::LoadedTrace> loaded;
  html::StackForest forest;
  std::optional<html::TraceStacks> shared;
  std::optional<HeldStacks> stacks;
};

/// By all that a page shows of an entry. What was folded without a row is of several readings.
auto shown(const std::vector<FoldedStack>& stacks) {
  std::multiset<std::tuple<std::uint32_t, trace::Lane, std::uint64_t, std::uint64_t, std::uint32_t,
                           std::uint32_t, std::uint32_t>>
      all;
  for (const FoldedStack& stack : stacks)
    all.emplace(stack.node, stack.lane, stack.bytes, stack.blocks, stack.folded, stack.row,
                stack.row == 0 ? 0 : stack.reading);
  return all;
}

constexpr FoldLimits kLowestLimits{.branch_bytes = 1 << 12, .row_bytes = 1 << 10};

FoldLimits some_limits() {
  return GENERATE(FoldLimits{kLowestLimits}, FoldLimits{1 << 12, 1 << 16},
                  FoldLimits{1 << 16, 1 << 10}, FoldLimits{1 << 18, 1 << 18},
                  FoldLimits{1 << 30, 1 << 14}, FoldLimits{1 << 30, 1 << 30});
}

}  // namespace

TEST_CASE("what the lowest limits fold is folded by higher ones as if these had come first",
          "[page][folding]") {
  const unsigned seed = GENERATE(1U, 2U, 3U);
  const FoldLimits limits = some_limits();
  CAPTURE(seed, limits.branch_bytes, limits.row_bytes);
  const ManyStacks many(seed);
  const Folding from_least(*many.stacks, kLowestLimits);
  const Folding from_these(*many.stacks, limits);
  CHECK(shown(from_least.folded(limits)) == shown(from_these.folded(limits)));
  CHECK(from_least.rows_by_stack(limits) == from_these.rows_by_stack(limits));
  CHECK(from_least.stack_count() == from_these.stack_count());
}

TEST_CASE("no byte is lost by folding, and each row has a stack of its own", "[page][folding]") {
  const unsigned seed = GENERATE(1U, 2U, 3U);
  const FoldLimits limits = some_limits();
  CAPTURE(seed, limits.branch_bytes, limits.row_bytes);
  const ManyStacks many(seed);
  const auto bytes_of_readings = many.stacks->bytes_of_readings();
  std::uint64_t bytes = 0;
  std::map<std::uint32_t, std::uint64_t> of_rows;
  std::map<std::uint32_t, std::uint32_t> readings;
  std::set<std::uint32_t> with_own;
  for (const FoldedStack& stack : Folding(*many.stacks, kLowestLimits).folded(limits)) {
    bytes += stack.bytes;
    if (stack.row == 0)
      continue;
    of_rows[stack.row] += stack.bytes;
    readings[stack.row] = stack.reading;
    if (stack.folded == 0)
      with_own.insert(stack.row);
  }
  CHECK(bytes == many.stacks->bytes());
  CHECK(with_own.size() == of_rows.size());
  for (const auto& [row, held] : of_rows)
    CHECK(held == bytes_of_readings[readings[row]]);
}
