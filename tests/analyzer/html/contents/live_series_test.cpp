#include "analyzer/html/contents/live_series.hpp"

#include "analyzer/html/contents/instants.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <map>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

using Key = std::pair<trace::StackId, trace::Lane>;
using Held = std::map<Key, std::pair<std::uint64_t, std::uint64_t>>;  // Bytes and blocks.

Held held_at(analyzer::LoadedTrace& trace, const analyzer::Instant& at) {
  Held held;
  for (const auto& stack : analyzer::live_set_at(trace, at).stacks) {
    held[{stack.stack, stack.lane}] = {stack.bytes, stack.blocks};
  }
  return held;
}

/// The changes added up must be, at each instant, what a pass of its own finds there.
void check_series(analyzer::LoadedTrace& trace, const std::vector<analyzer::Instant>& instants) {
  const auto changes = html::live_changes(trace, instants);
  Held running;
  auto next = changes.begin();
  for (std::size_t i = 0; i < instants.size(); ++i) {
    for (; next != changes.end() && next->instant == i; ++next) {
      auto& [bytes, blocks] = running[{next->stack, next->lane}];
      bytes += static_cast<std::uint64_t>(next->bytes);
      blocks += static_cast<std::uint64_t>(next->blocks);
    }
    std::erase_if(running, [](const auto& entry) { return entry.second.second == 0; });
    CAPTURE(i, instants[i].block, instants[i].events);
    CHECK(running == held_at(trace, instants[i]));
  }
  CHECK(next == changes.end());
}

std::vector<analyzer::Instant> every_instant(analyzer::LoadedTrace& trace) {
  std::vector<analyzer::Instant> instants;
  for (std::uint64_t events = 0; events <= trace.event_count(); ++events) {
    instants.push_back(html::instant_after(trace, events));
  }
  return instants;
}

}  // namespace

TEST_CASE("one pass finds at every instant what a pass of its own finds", "[page][live_series]") {
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  TraceBuilder trace;
  tests::append_random_load(trace, seed, 120);
  auto loaded = trace.open();

  check_series(loaded, every_instant(loaded));
}

TEST_CASE("of as many instants as there are each has its own changes", "[page][live_series]") {
  TraceBuilder trace;
  tests::append_random_load(trace, 3, 400);
  auto loaded = trace.open();
  const auto instants = every_instant(loaded);
  REQUIRE(instants.size() > 300);

  check_series(loaded, instants);
}

TEST_CASE("instants may leave whole blocks between them", "[page][live_series]") {
  TraceBuilder trace;
  tests::append_random_load(trace, 7, 200);
  auto loaded = trace.open();
  REQUIRE(loaded.blocks().size() > 20);
  const auto count = loaded.event_count();

  check_series(loaded, {html::instant_after(loaded, 0), html::instant_after(loaded, count / 3),
                        html::instant_after(loaded, count / 3 + 1),
                        html::instant_after(loaded, count * 2 / 3)});
}

TEST_CASE("what has no bytes at an instant is no block there", "[page][live_series]") {
  TraceBuilder trace;
  const auto map = trace.stack({"mmap", "main"});
  const auto emptied = trace.at_ms(1).allocate(8192, map, trace::Lane::kAnon);
  trace.at_ms(2).release_part(emptied, 4096);
  trace.at_ms(3).release_part(emptied, 4096);
  trace.at_ms(4).grow(emptied, 4096);
  auto loaded = trace.open();
  const auto instants = every_instant(loaded);

  check_series(loaded, instants);
  std::int64_t blocks = 0;
  std::vector<std::int64_t> blocks_at(instants.size());
  auto changes = html::live_changes(loaded, instants);
  for (std::size_t i = 0, next = 0; i < instants.size(); ++i) {
    for (; next < changes.size() && changes[next].instant == i; ++next) {
      blocks += changes[next].blocks;
    }
    blocks_at[i] = blocks;
  }
  CHECK(blocks_at == std::vector<std::int64_t>{0, 1, 1, 0, 1});
}

TEST_CASE("a trace without events has no live sets", "[page][live_series]") {
  TraceBuilder trace;
  auto loaded = trace.open();

  CHECK(html::live_changes(loaded, std::vector{analyzer::Instant{}}).empty());
}
