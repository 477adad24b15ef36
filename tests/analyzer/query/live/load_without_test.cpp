#include "analyzer/query/live/load_without.hpp"

#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/wrapping.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace tidemark;
using analyzer::LoadWithout;
using analyzer::Removal;
using analyzer::Savings;
using tests::TraceBuilder;

namespace {

/// What is left after each event, followed allocation by allocation.
class Replayed {
 public:
  Replayed(const std::vector<trace::Event>& events, Removal removal)
      : removal_(std::move(removal)) {
    std::uint64_t allocations = 0;
    for (trace::Event event : events) {
      // The writer numbers them.
      event.allocation = trace::is_allocation(event.kind) ? allocations++ : event.allocation;
      analyzer::follow(event, *this);
      std::uint64_t left = 0;
      for (const auto& [allocation, bytes] : alive_) {
        left += bytes;
      }
      states_.push_back({event.at_ns, left});
    }
  }

  // See analyzer::follow.
  void begin(const trace::Event& event) {
    const bool is_taken = std::ranges::count(removal_.stacks, event.stack) > 0 ||
                          std::ranges::count(removal_.allocations, event.allocation) > 0;
    if (!is_taken && trace::in_footprint(event.lane)) {
      alive_[event.allocation] = event.size;
    }
  }
  void end(std::uint64_t allocation, const trace::Event& /*event*/) { alive_.erase(allocation); }
  void resize(std::uint64_t allocation, std::int64_t change, const trace::Event& /*event*/) {
    if (const auto found = alive_.find(allocation); found != alive_.end()) {
      found->second = analyzer::changed(found->second, change);
    }
  }
  void end_all(const trace::Event& event) {
    // One process is all there is.
    std::erase_if(alive_, [&](const auto& /*block*/) { return event.lane == trace::Lane::kHeap; });
  }

  [[nodiscard]] std::uint64_t peak() const {
    return std::ranges::max_element(states_, {}, &State::left)->left;
  }
  /// The highest and the lowest in [from, to); what stood when it began counts.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> within(std::uint64_t from,
                                                               std::uint64_t to) const {
    std::uint64_t stood = 0;
    std::pair<std::uint64_t, std::uint64_t> extremes{0, UINT64_MAX};
    const auto note = [&](std::uint64_t left) {
      extremes = {std::max(extremes.first, left), std::min(extremes.second, left)};
    };
    bool has_begun = false;
    for (const State& state : states_) {
      if (state.at_ns >= to) {
        break;
      }
      if (state.at_ns >= from) {
        if (!std::exchange(has_begun, true)) {
          note(stood);
        }
        note(state.left);
      }
      stood = state.left;
    }
    if (!has_begun) {
      note(stood);
    }
    return extremes;
  }

 private:
  struct State {
    std::uint64_t at_ns = 0;
    std::uint64_t left = 0;
  };
  Removal removal_;
  std::map<std::uint64_t, std::uint64_t> alive_;
  std::vector<State> states_;
};

/// Blocks of four stacks, in several blocks of events, some of which move and shrink.
void append_moving_blocks(TraceBuilder& trace, std::mt19937& random) {
  const std::vector<trace::StackId> stacks{trace.stack({"malloc", "one"}),
                                           trace.stack({"malloc", "two"}),
                                           trace.stack({"malloc", "three"}), trace::kNoStack};
  std::vector<std::uint64_t> alive;
  for (int i = 0; i < 300; ++i) {
    trace.at_ms(static_cast<std::uint64_t>(i / 2));
    const trace::StackId stack = stacks[random() % stacks.size()];
    const auto act = random() % 8;
    if (!alive.empty() && act < 3) {
      std::swap(alive[random() % alive.size()], alive.back());
      trace.release(alive.back());
      alive.pop_back();
    } else if (!alive.empty() && act == 3) {
      alive.back() = trace.reallocate(alive.back(), 1 + random() % 1'000'000, stack);
    } else if (act == 4) {
      alive.push_back(trace.allocate(1'000'000, stack, trace::Lane::kAnon));
      trace.release_part(alive.back(), 4096);
    } else {
      alive.push_back(trace.allocate(1 + random() % 1'000'000, stack));
    }
    if (random() % 25 == 0) {
      trace.flush();
    }
  }
}

}  // namespace

TEST_CASE("a load without stacks and blocks is what a replay leaves, at any zoom", "[query]") {
  const auto seed = GENERATE(range(1U, 31U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  append_moving_blocks(trace, random);
  Removal removal;
  if (random() % 3 != 0) {
    removal.stacks = {trace.stack({"malloc", "two"})};
  }
  removal.allocations = {random() % 100, random() % 100};
  const Replayed expected(trace.events(), removal);
  auto loaded = trace.open();
  REQUIRE(loaded.blocks().size() > 3);

  const LoadWithout without(loaded, removal);

  CHECK(without.peak().lanes.footprint() == expected.peak());
  for (const std::uint64_t count : {1U, 7U, 40U, 700U}) {
    const auto begin = random() % 40'000'000;
    const auto borders = analyzer::even_borders(begin, begin + 120'000'000, count);
    const auto columns = without.columns(loaded, borders);
    REQUIRE(columns.size() == count);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      CAPTURE(count, c);
      const auto [highest, lowest] = expected.within(borders[c], borders[c + 1]);
      REQUIRE(columns[c].highest.lanes.footprint() == highest);
      REQUIRE(columns[c].lowest.lanes.footprint() == lowest);
    }
  }
}

TEST_CASE("without anything taken away, nothing changes", "[query]") {
  TraceBuilder trace;
  std::mt19937 random(1);
  append_moving_blocks(trace, random);
  auto loaded = trace.open();
  analyzer::Timeline timeline(loaded);
  const auto borders = analyzer::even_borders(0, loaded.duration_ns() + 1, 90);
  const LoadWithout without(loaded, {});
  const auto columns = without.columns(loaded, borders);
  const auto all = timeline.columns(borders);
  for (std::size_t c = 0; c < all.size(); ++c) {
    CAPTURE(c);
    REQUIRE(columns[c].highest.lanes.footprint() == all[c].footprint.maximum);
    REQUIRE(columns[c].lowest.lanes.footprint() == all[c].footprint.minimum);
  }
}

TEST_CASE("what two of them save is saved once", "[query]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"malloc", "load"});
  const auto block = trace.allocate(1000, stack);
  trace.allocate(10);
  trace.release(block);
  auto loaded = trace.open();
  const auto savings = [&](trace::EventOrdinal from, std::int64_t bytes) {
    auto all = std::make_shared<Savings>();
    const analyzer::SavedAllocation of{.allocation = block, .stack = stack};
    all->add(from, bytes, of);
    all->add(2, -bytes, of);
    return all;
  };
  const auto peak = [&](const Removal& removal) {
    return LoadWithout(loaded, removal).peak().lanes.footprint();
  };
  CHECK(peak({}) == 1010);
  CHECK(peak({.savings = {savings(0, 600)}, .stacks = {}, .allocations = {}}) == 410);
  // The second one saves more, but later.
  CHECK(peak({.savings = {savings(0, 600), savings(1, 900)}, .stacks = {}, .allocations = {}}) ==
        400);
  CHECK(peak({.savings = {savings(0, 600)}, .stacks = {stack}, .allocations = {}}) == 10);
  CHECK(peak({.savings = {savings(0, 600)}, .stacks = {}, .allocations = {block}}) == 10);
}

TEST_CASE("what is left of a block is the same up to its next change", "[query]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"malloc", "load"});
  const auto saved = trace.allocate(1000, stack);
  const auto taken = trace.allocate(10);
  const auto kept = trace.allocate(10);
  auto loaded = trace.open();
  auto savings = std::make_shared<Savings>();
  const analyzer::SavedAllocation of{.allocation = saved, .stack = stack};
  savings->add(2, 300, of);
  savings->add(5, 600, of);
  savings->add(9, -900, of);
  const LoadWithout without(loaded, {.savings = {savings}, .stacks = {}, .allocations = {taken}});
  trace::Event block;
  block.allocation = saved;
  std::vector<std::uint64_t> left;
  std::vector<trace::EventOrdinal> changes;
  for (trace::EventOrdinal events = 0; events != UINT64_MAX;
       events = without.next_change(saved, events)) {
    left.push_back(without.left_of(block, 1000, events));
    changes.push_back(events);
  }
  CHECK(left == std::vector<std::uint64_t>{1000, 700, 100, 1000});
  CHECK(changes == std::vector<trace::EventOrdinal>{0, 3, 6, 10});
  CHECK(without.next_change(taken, 0) == UINT64_MAX);
  CHECK(without.next_change(kept, 0) == UINT64_MAX);
}

TEST_CASE("what a process takes with it, it holds no longer without", "[query]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"malloc", "load"});
  trace.allocate(1000, stack);
  trace.allocate(50);
  trace.at_ms(5).end_process(trace::ProcessId{0});
  auto loaded = trace.open();
  const LoadWithout without(loaded, {.savings = {}, .stacks = {stack}, .allocations = {}});
  const auto columns = without.columns(loaded, analyzer::even_borders(0, 6'000'000, 6));
  REQUIRE(columns.size() == 6);
  CHECK(columns.front().highest.lanes.footprint() == 50);
  CHECK(columns.back().lowest.lanes.footprint() == 0);
}
