#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using namespace tidemark::tests;

TEST_CASE_METHOD(EndToEnd,
                 "ten thousand threads that come and go are exact and reuse their rings") {
  const Recording recording = record_unchanged(host("many_threads", {"10000"}));
  CHECK(recording.events.allocations(3001) == 100000);
  CHECK(recording.events.releases(3001) == 100000);
  CHECK(recording.events.session().unmatched_releases == 0);
  CHECK(recording.events.count(trace::EventKind::kThreadBegin) == 10001);
  // Those of the last few are told by the process's end.
  CHECK(recording.events.count(trace::EventKind::kThreadEnd) >= 10000 - 16);
  const std::uint64_t own = report(recording.trace)["overhead"]["own_bytes_in_host"];
  CHECK(own > 0);
  // The bound is 64 MiB and one more for each live thread. Reused, eleven rings of a few pages are
  // far below it; a page for each of 10,000 threads would be 40 MiB.
  CHECK(own < 8 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "a thread's end is told soon, whether or not another one begins") {
  const Recording recording = record_unchanged(host("threads_end_in_turn"));
  const auto& events = recording.events.all();
  const auto allocation = [&](std::uint64_t bytes) -> const trace::Event& {
    const auto found = std::ranges::find_if(events, [&](const trace::Event& event) {
      return trace::is_allocation(event.kind) && event.size == bytes;
    });
    REQUIRE(found != events.end());
    return *found;
  };
  CHECK(recording.events.count(trace::EventKind::kThreadEnd) == 8);
  for (std::uint64_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    const trace::Event& last_act = allocation(3340 + i);
    const auto end = std::ranges::find_if(events, [&](const trace::Event& event) {
      return event.kind == trace::EventKind::kThreadEnd && event.thread == last_act.thread;
    });
    REQUIRE(end != events.end());
    CHECK(end->at_ns >= last_act.at_ns);
    CHECK(end->at_ns >= allocation(3310 + i).at_ns);
    CHECK(end->at_ns <= allocation(3320 + i).at_ns);
  }
}

TEST_CASE_METHOD(EndToEnd, "a cancelled thread ends as without tidemark and loses nothing") {
  const Recording recording = record_unchanged(host("cancels_threads"));
  CHECK(recording.host.out == "200 cancelled, 200 cleaned\n");
  CHECK(recording.events.allocations(3011) == 200);
  CHECK(recording.events.releases(3011) == 200);
  CHECK(recording.events.blocks_left(3012) == 0);
}

TEST_CASE_METHOD(EndToEnd, "what a thread allocates in its last destructors is recorded") {
  const Recording recording = record_unchanged(host("dying_words"));
  CHECK(recording.events.allocations(3021) == 300);
  CHECK(recording.events.releases(3021) == 300);
  CHECK(recording.events.allocations(3022) == 1200);
  CHECK(recording.events.releases(3022) == 1200);
}

TEST_CASE_METHOD(EndToEnd, "a program whose main thread leaves first is recorded to its end") {
  const Recording recording = record_unchanged(host("main_thread_ends"));
  CHECK(recording.host.status == 6);
  CHECK(recording.events.allocations(3031) == 1000);
  CHECK(recording.events.allocations(3032) == 1000);
}

TEST_CASE_METHOD(EndToEnd, "threads that are cut off when main returns have left what they did") {
  const Recording recording = record_unchanged(host("detached_threads"));
  CHECK(recording.host.status == 4);
  CHECK(recording.events.allocations(3041) >= 4000);
  CHECK(recording.events.blocks_left(3041) <= 4);
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd,
                 "a world that stands still while one thread allocates does not deadlock") {
  const Recording recording = record(host("stops_the_world"));
  REQUIRE(recording.host.status == 0);
  CHECK(recording.events.allocations(3052) == 400'000);
  CHECK(recording.events.releases(3052) == 400'000);
  const std::size_t blocks = std::stoul(recording.host.out);
  CHECK(recording.events.allocations(3051) == blocks);
  CHECK(recording.events.releases(3051) == blocks);
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "more runnable threads than cores are exact, and their order holds") {
  const Recording recording = record_unchanged(host("crowd"));
  CHECK(recording.events.allocations(3061) == 128'000);
  CHECK(recording.events.releases(3061) == 128'000);
  CHECK(recording.events.allocations(3062) == 128'000);
  CHECK(recording.events.releases(3062) == 128'000);
  // A free that came before its allocation would be one of these.
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd,
                 "more stacks than the table holds are all told apart, in bounded memory") {
  constexpr std::size_t kLeaves = std::size_t{4} << 20;
  constexpr std::uint64_t kBytes = 2311;
  const Recording recording = record_unchanged(host("many_stacks"));
  CHECK(recording.events.allocations(kBytes) == kLeaves);
  CHECK(recording.events.releases(kBytes) == kLeaves);
  CHECK(recording.events.loss().stacks_truncated == 0);
  std::vector<bool> seen(recording.events.definitions().stacks.size());
  std::size_t distinct = 0;
  for (const trace::Event& event : recording.events.all()) {
    if (event.kind != trace::EventKind::kAllocate || event.size != kBytes ||
        seen[trace::index(event.stack)])
      continue;
    seen[trace::index(event.stack)] = true;
    ++distinct;
  }
  CHECK(distinct == kLeaves);
  CHECK_FALSE(seen[trace::index(trace::kNoStack)]);
  CHECK(std::uint64_t{report(recording.trace)["overhead"]["own_bytes_in_host"]} < 69 * kMiB);
}
