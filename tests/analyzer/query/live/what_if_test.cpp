#include "analyzer/query/live/what_if.hpp"

#include "analyzer/query/wrapping.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace tidemark;
using analyzer::Savings;
using analyzer::WhatIf;
using tests::TraceBuilder;

namespace {

/// Allocations and releases at random, in several blocks.
void append_short_and_long_lives(TraceBuilder& trace, std::mt19937& random) {
  std::vector<std::uint64_t> alive;
  for (int i = 0; i < 400; ++i) {
    trace.at_ms(static_cast<std::uint64_t>(i));
    if (!alive.empty() && random() % 2 == 0) {
      std::swap(alive[random() % alive.size()], alive.back());
      trace.release(alive.back());
      alive.pop_back();
    } else {
      alive.push_back(trace.allocate(1 + random() % 1'000'000));
    }
    if (random() % 20 == 0) {
      trace.flush();
    }
  }
}

std::uint64_t replayed_peak(const std::vector<trace::Event>& events, const Savings& savings) {
  const auto steps = savings.sorted();
  trace::LaneTotals totals;
  std::int64_t saved = 0;
  std::int64_t highest = 0;
  std::size_t step = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    trace::apply(events[i], totals);
    for (; step < steps.size() && steps[step].ordinal == i; ++step) {
      saved += steps[step].bytes;
    }
    highest = std::max(highest, static_cast<std::int64_t>(totals.footprint()) - saved);
  }
  return static_cast<std::uint64_t>(highest);
}

}  // namespace

TEST_CASE("the peak with savings is that of a replay, event by event", "[anatomy]") {
  const auto seed = GENERATE(range(1U, 41U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  append_short_and_long_lives(trace, random);
  Savings savings;
  for (std::uint32_t i = 0; i < random() % 20; ++i) {
    savings.add(random() % 400, static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000);
  }
  const auto events = trace.events();

  auto loaded = trace.open();
  REQUIRE(loaded.blocks().size() > 3);
  WhatIf what_if(loaded);

  CHECK(what_if.peak_with(savings) == replayed_peak(events, savings));
}

TEST_CASE("a block that is high before its savings begin is not passed over", "[anatomy]") {
  TraceBuilder trace;
  trace.release(trace.allocate(300));
  trace.flush();
  trace.allocate(100);
  auto loaded = trace.open();
  Savings savings;
  savings.add(1, 250);
  savings.add(2, -250);

  CHECK(WhatIf(loaded).peak_with(savings) == 300);
}

TEST_CASE("savings beyond all bounds do no harm", "[anatomy]") {
  TraceBuilder trace;
  trace.release(trace.allocate(INT64_MAX));
  trace.flush();
  trace.allocate(100);
  auto loaded = trace.open();
  Savings savings;
  savings.add(0, INT64_MIN);
  savings.add(1, INT64_MIN);
  savings.add(2, INT64_MAX);

  // Modulo 2^64 the first block holds INT64_MAX - INT64_MIN = -1 at most, the second 100 -
  // INT64_MAX.
  CHECK(WhatIf(loaded).peak_with(savings) == 0);
}

// A sum that overflows is no constant expression: it would not compile.
static_assert(analyzer::wrapping_sum(INT64_MAX, 1) == INT64_MIN);
static_assert(analyzer::wrapping_sum(INT64_MIN, INT64_MIN) == 0);
static_assert(analyzer::wrapping_difference(INT64_MAX, INT64_MIN) == -1);
static_assert(analyzer::wrapping_difference(INT64_MIN, 1) == INT64_MAX);
static_assert(analyzer::minus(std::uint64_t{1} << 63U) == INT64_MIN);

TEST_CASE("without savings the peak is the peak", "[anatomy]") {
  TraceBuilder trace;
  trace.release(trace.allocate(300));
  trace.allocate(100);
  auto loaded = trace.open();

  CHECK(WhatIf(loaded).peak_with({}) == 300);
}

TEST_CASE("a trace without events has no peak to lower", "[anatomy]") {
  TraceBuilder trace;
  auto loaded = trace.open();
  Savings savings;
  savings.add(0, 100);

  CHECK(WhatIf(loaded).peak_with(savings) == 0);
}
