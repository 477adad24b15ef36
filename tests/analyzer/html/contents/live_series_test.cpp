#include "analyzer/html/contents/live_series.hpp"

#include "analyzer/html/contents/instants.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <random>

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

/// A program of two processes that does everything, in blocks of a few events.
void append_random_load(TraceBuilder& trace, unsigned seed, int steps) {
  std::mt19937 random(seed);
  const std::vector stacks{trace.stack({"malloc", "load", "main"}), trace.stack({"copy", "main"}),
                           trace.stack({"mmap", "main"})};
  const auto child = trace.process(200, "child");
  const std::vector threads{trace::ThreadId{0}, trace.thread(child)};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> alive;  // Of the parent: number, bytes.
  for (int step = 0; step < steps; ++step) {
    trace.at_ms(static_cast<std::uint64_t>(step));
    trace.on(threads[0]);
    const auto lane = random() % 3 == 0 ? trace::Lane::kAnon : trace::Lane::kHeap;
    const std::uint64_t bytes = 100 + random() % 1000;
    const std::size_t chosen = alive.empty() ? 0 : random() % alive.size();
    switch (alive.size() < 3 ? 0 : random() % 6) {
      case 0:
      case 1:
        alive.emplace_back(trace.allocate(bytes, stacks[random() % 3], lane), bytes);
        break;
      case 2:
        trace.release(alive[chosen].first);
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(chosen));
        break;
      case 3:
        alive[chosen] = {trace.reallocate(alive[chosen].first, bytes, stacks[random() % 3]), bytes};
        break;
      case 4:
        trace.release_part(alive[chosen].first, alive[chosen].second / 2);
        alive[chosen].second -= alive[chosen].second / 2;
        break;
      default:
        trace.on(threads[1]);
        trace.allocate(bytes, stacks[random() % 3], lane);
    }
    if (random() % 5 == 0) {
      trace.flush();
    }
    if (step == steps / 2) {
      trace.on(threads[1]).end_process(child);
      trace.on(threads[0]);
      alive.reserve(alive.size());
      trace.flush();
    }
  }
}

}  // namespace

TEST_CASE("one pass finds at every instant what a pass of its own finds", "[page][live_series]") {
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  TraceBuilder trace;
  append_random_load(trace, seed, 120);
  auto loaded = trace.open();

  check_series(loaded, every_instant(loaded));
}

TEST_CASE("instants may leave whole blocks between them", "[page][live_series]") {
  TraceBuilder trace;
  append_random_load(trace, 7, 200);
  auto loaded = trace.open();
  REQUIRE(loaded.blocks().size() > 20);
  const auto count = loaded.event_count();

  check_series(loaded, {html::instant_after(loaded, 0), html::instant_after(loaded, count / 3),
                        html::instant_after(loaded, count / 3 + 1),
                        html::instant_after(loaded, count * 2 / 3)});
}

TEST_CASE("a trace without events has no live sets", "[page][live_series]") {
  TraceBuilder trace;
  auto loaded = trace.open();

  CHECK(html::live_changes(loaded, std::vector{analyzer::Instant{}}).empty());
}
