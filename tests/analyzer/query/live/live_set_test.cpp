#include "analyzer/query/live/live_set.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <random>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

analyzer::LiveSet live_at_end(analyzer::LoadedTrace& trace) {
  return analyzer::live_set_at(trace, trace.instant_at(UINT64_MAX));
}

void check_invariants(const analyzer::LiveSet& live) {
  auto sums = live.unattributed;
  for (const auto& stack : live.stacks) {
    sums.at(static_cast<std::size_t>(stack.lane)) += static_cast<std::int64_t>(stack.bytes);
  }
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    CHECK(sums.at(lane) == static_cast<std::int64_t>(live.totals.bytes.at(lane)));
  }
}

}  // namespace

TEST_CASE("the live set sums blocks by stack and lane, largest first", "[live_set]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto copy = trace.stack({"malloc", "copy", "main"});
  trace.allocate(100, load);
  trace.allocate(100, load);
  trace.allocate(500, copy);
  trace.allocate(70, copy, trace::Lane::kAnon);
  trace.release(trace.allocate(9999, load));
  auto loaded = trace.open();

  const auto live = live_at_end(loaded);

  REQUIRE(live.stacks.size() == 3);
  CHECK(live.stacks[0].stack == copy);
  CHECK(live.stacks[0].bytes == 500);
  CHECK(live.stacks[1].stack == load);
  CHECK(live.stacks[1].bytes == 200);
  CHECK(live.stacks[1].blocks == 2);
  CHECK(live.stacks[2].lane == trace::Lane::kAnon);
  CHECK(live.unattributed == std::array<std::int64_t, trace::kLaneCount>{});
  check_invariants(live);
}

TEST_CASE("what was released in a later block still is alive at an earlier instant", "[live_set]") {
  TraceBuilder trace;
  const auto load = trace.stack({"load", "main"});
  const auto block = trace.at_ms(1).allocate(100, load);
  trace.flush();
  trace.at_ms(5).release(block);
  auto loaded = trace.open();

  CHECK(analyzer::live_set_at(loaded, loaded.instant_at(4'999'999)).stacks.size() == 1);
  CHECK(analyzer::live_set_at(loaded, loaded.instant_at(5'000'000)).stacks.empty());
}

TEST_CASE("a block released in part counts with what is left of it", "[live_set]") {
  TraceBuilder trace;
  const auto map = trace.stack({"mmap", "main"});
  const auto block = trace.allocate(4096 * 10, map, trace::Lane::kAnon);
  trace.release_part(block, 4096);
  trace.flush();
  trace.release_part(block, 4096 * 3);
  auto loaded = trace.open();

  const auto live = live_at_end(loaded);

  REQUIRE(live.stacks.size() == 1);
  CHECK(live.stacks[0].bytes == 4096 * 6);
  check_invariants(live);
}

TEST_CASE("a mapping whose pages all went, in parts, is no block until it grows again",
          "[live_set]") {
  TraceBuilder trace;
  const auto map = trace.stack({"mmap", "main"});
  trace.at_ms(1).allocate(4096, map, trace::Lane::kAnon);
  const auto emptied = trace.allocate(4096 * 10, map, trace::Lane::kAnon);
  trace.release_part(emptied, 4096);
  trace.flush();
  trace.at_ms(2).release_part(emptied, 4096 * 9);
  trace.at_ms(5).grow(emptied, 4096);
  auto loaded = trace.open();

  const auto blocks_at_ms = [&loaded](std::uint64_t ms) {
    const auto live = analyzer::live_set_at(loaded, loaded.instant_at(ms * 1'000'000));
    REQUIRE(live.stacks.size() == 1);
    check_invariants(live);
    return live.stacks[0].blocks;
  };
  CHECK(blocks_at_ms(1) == 2);
  CHECK(blocks_at_ms(3) == 1);
  CHECK(blocks_at_ms(6) == 2);
}

TEST_CASE("a realloc moves the bytes to the stack that asked last", "[live_set]") {
  TraceBuilder trace;
  const auto first = trace.stack({"malloc", "main"});
  const auto second = trace.stack({"realloc", "main"});
  trace.reallocate(trace.allocate(100, first), 300, second);
  auto loaded = trace.open();

  const auto live = live_at_end(loaded);

  REQUIRE(live.stacks.size() == 1);
  CHECK(live.stacks[0].stack == second);
  CHECK(live.stacks[0].bytes == 300);
}

TEST_CASE("blocks of an ended process are gone, those of the others stay", "[live_set]") {
  TraceBuilder trace;
  const auto work = trace.stack({"work", "main"});
  trace.allocate(100, work);
  const auto child = trace.process(101, "child");
  trace.on(trace.thread(child)).allocate(5000, work);
  trace.flush();
  trace.allocate(70, work, trace::Lane::kAnon);
  trace.at_ms(5).end_process(child);
  trace.on(trace::ThreadId{0}).at_ms(6).allocate(1, work);
  auto loaded = trace.open();

  const auto live = live_at_end(loaded);

  REQUIRE(live.stacks.size() == 1);
  CHECK(live.stacks[0].bytes == 101);
  CHECK(live.unattributed == std::array<std::int64_t, trace::kLaneCount>{});
  CHECK(analyzer::live_set_at(loaded, loaded.instant_at(4'000'000)).totals.footprint() == 5170);
}

TEST_CASE("at any instant of a random trace the stacks sum to the totals", "[live_set]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  trace.file("/m/model", 1);  // What blocks in the file lane are mappings of.
  std::vector<trace::StackId> stacks;
  for (int i = 0; i < 5; ++i) {
    stacks.push_back(trace.stack({"malloc", "f" + std::to_string(i), "main"}));
  }
  std::vector<std::uint64_t> alive;
  for (std::uint64_t step = 0; step < 600; ++step) {
    trace.at_ns(step * 1000);
    const auto action = random() % 8;
    const auto stack = stacks[random() % stacks.size()];
    const std::size_t victim = alive.empty() ? 0 : random() % alive.size();
    if (alive.empty() || action < 4) {
      alive.push_back(trace.allocate(1 + random() % 1000, stack,
                                     static_cast<trace::Lane>(random() % trace::kLaneCount)));
    } else if (action < 6) {
      trace.release(alive[victim]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
    } else {
      alive[victim] = trace.reallocate(alive[victim], 1 + random() % 1000, stack);
    }
    if (random() % 50 == 0) {
      trace.flush();
    }
  }
  auto loaded = trace.open();

  for (std::uint64_t ns = 0; ns < 600'000; ns += 7'000) {
    const auto live = analyzer::live_set_at(loaded, loaded.instant_at(ns));
    trace::LaneTotals totals;
    for (const auto& event : trace.events()) {
      if (event.at_ns <= ns) {
        trace::apply(event, totals);
      }
    }
    CHECK(live.totals == totals);
    CHECK(live.unattributed == std::array<std::int64_t, trace::kLaneCount>{});
    check_invariants(live);
  }
  const auto peak = analyzer::find_peak(loaded);
  const auto at_peak = analyzer::live_set_at(loaded, peak.at);
  CHECK(at_peak.totals.footprint() == peak.footprint_bytes);
}
