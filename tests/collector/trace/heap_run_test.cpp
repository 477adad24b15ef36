#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::trace::tests {
namespace {

/// Allocations, releases and reallocations of one thread after another, with other events in
/// between: the same ones every time. Runs go in as `append_run` says.
template <typename AppendRun>
Bytes trace_with(unsigned seed, AppendRun append_run) {
  constexpr int kRuns = 900;  // several full blocks
  struct Alive {
    AllocationNumber allocation;
    std::uint64_t size;
  };
  std::mt19937_64 random(seed);
  Recording recording;
  TraceWriter& writer = recording.writer();
  std::vector<Alive> alive;
  std::uint64_t at_ns = 0;
  for (int i = 0; i < kRuns; ++i) {
    std::vector<HeapEvent> run;
    const std::size_t events = 1 + random() % 500;
    AllocationNumber next = writer.next_allocation();
    // Some grow for long, some shrink, most do both.
    const std::uint64_t release_of_8 = 2 + random() % 5;
    while (run.size() < events) {
      at_ns += random() % 250;
      if (random() % 64 == 0)
        at_ns -= std::min<std::uint64_t>(at_ns, 400);  // raised by the writer
      if (!alive.empty() && random() % 8 < release_of_8) {
        const std::size_t at = random() % 2 == 0 ? alive.size() - 1 : random() % alive.size();
        run.push_back({.at_ns = at_ns,
                       .size = alive[at].size,
                       .allocation = alive[at].allocation,
                       .kind = EventKind::kRelease});
        alive[at] = alive.back();
        alive.pop_back();
        continue;
      }
      if (!alive.empty() && random() % 8 == 0) {
        Alive& moved = alive[random() % alive.size()];
        const Alive old = std::exchange(moved, {next++, random() % 9'000});
        run.push_back({.at_ns = at_ns,
                       .size = moved.size,
                       .allocation = moved.allocation,
                       .extra = static_cast<std::uint32_t>(random() % 3 * 8),
                       .stack = Recording::kInner,
                       .kind = EventKind::kReallocate,
                       .released = old.allocation,
                       .released_size = old.size});
        continue;
      }
      const std::uint64_t size = random() % 8 == 0 ? 0 : random() % 5'000;
      run.push_back({.at_ns = at_ns,
                     .size = size,
                     .allocation = next,
                     .extra = static_cast<std::uint32_t>(random() % 3 * 8),
                     .stack = random() % 2 == 0 ? Recording::kInner : Recording::kOuter});
      alive.push_back({next++, size});
    }
    append_run(writer, ThreadId{static_cast<std::uint32_t>(random() % 2)}, run);
    if (random() % 4 == 0) {
      Event mapping;
      mapping.at_ns = at_ns;
      mapping.lane = Lane::kAnon;
      mapping.size = random() % 100'000;
      writer.append(mapping);
    }
    if (random() % 200 == 0)
      recording.flush();
  }
  return recording.finish();
}

TEST_CASE("a run leaves the bytes that its events leave one by one", "[trace]") {
  const auto seed = GENERATE(range(1U, 5U));
  CAPTURE(seed);
  const Bytes expected =
      trace_with(seed, [](TraceWriter& writer, ThreadId thread, std::span<const HeapEvent> run) {
        writer.TraceWriter::append_heap(thread, run, change_of(run));
      });
  const Bytes found =
      trace_with(seed, [](TraceWriter& writer, ThreadId thread, std::span<const HeapEvent> run) {
        writer.append_heap(thread, run, change_of(run));
      });
  CHECK(content_of(expected).events.size() > 3 * 65'536);
  CHECK((found == expected));
}

TEST_CASE("what a run changes is what its events change", "[trace]") {
  const auto change_after = [](std::vector<HeapEvent> events) { return change_of(events); };
  const HeapEvent come_10{.size = 10};
  const HeapEvent go_10{.size = 10, .kind = EventKind::kRelease};
  const HeapEvent go_30{.size = 30, .kind = EventKind::kRelease};

  const HeapChange falls = change_after({go_30, come_10});
  CHECK(falls.total == -20);
  CHECK(falls.lowest == -30);
  CHECK(falls.highest == -20);
  CHECK(falls.highest_at == 1);

  // A reallocation does both at once.
  const HeapChange grows =
      change_after({come_10, {.size = 25, .kind = EventKind::kReallocate, .released_size = 10}});
  CHECK(grows.total == 25);
  CHECK(grows.highest == 25);
  CHECK(grows.highest_at == 1);

  // The first of two that stand equally high.
  const HeapChange twice = change_after({come_10, go_10, come_10, go_30});
  CHECK(twice.total == -20);
  CHECK(twice.lowest == -20);
  CHECK(twice.highest == 10);
  CHECK(twice.highest_at == 0);
}

}  // namespace
}  // namespace tidemark::trace::tests
