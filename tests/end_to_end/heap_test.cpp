#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>

using namespace tidemark;
using namespace tidemark::tests;
using trace::Event;
using trace::EventKind;

TEST_CASE_METHOD(EndToEnd, "every door to the heap is counted with the bytes it was asked for") {
  const Recording recording = record_unchanged(host("every_entry_point"));
  for (std::uint64_t size = 10001; size <= 10011; ++size) {
    CAPTURE(size);
    CHECK(recording.events.allocations(size) == 1);
    CHECK(recording.events.releases(size) == 1);
  }
  CHECK(recording.events.allocations(10012) == 1);  // asprintf's own block has room to spare
  for (std::uint64_t size = 20001; size <= 20012; ++size) {
    CAPTURE(size);
    CHECK(recording.events.allocations(size) == 1);
    CHECK(recording.events.releases(size) == 1);
    CHECK(recording.events.allocations_in("main", size) == 1);
  }
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "requests that fail are events with the bytes they asked for") {
  const Recording recording = record_unchanged(host("failing_requests"));
  constexpr std::uint64_t kHuge = PTRDIFF_MAX - 100000;
  for (std::uint64_t extra = 1; extra <= 9; ++extra) {
    CAPTURE(extra);
    CHECK(recording.events.failures(kHuge + extra) == 1);
  }
  CHECK(recording.events.failures(kHuge / 4096 * 4096) == 1);  // mmap
  CHECK(recording.events.failures(UINT64_MAX) == 2);           // products that overflow
  CHECK(recording.events.count(EventKind::kFail) == 12);
  CHECK(recording.events.allocations(5001) == 1);
  CHECK(recording.events.releases(5001) == 1);
  CHECK(report(recording.trace)["events"]["failed"] == 12);
}

TEST_CASE_METHOD(EndToEnd, "errno after every hooked call is as without tidemark") {
  const Recording recording = record_unchanged(host("keeps_errno"));
  CHECK(recording.host.out.find("std::malloc(100): 77") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "realloc that moves, shrinks, fails or frees is one change each") {
  const Recording recording = record_unchanged(host("realloc_kinds"));
  const Events& events = recording.events;
  for (const std::uint64_t size : {6001U, 6000U, 7001U, 60003U, 6006U}) {
    CAPTURE(size);
    CHECK(events.allocations(size) == 1);
    CHECK(events.releases(size) == 1);
  }
  CHECK(events.failures(PTRDIFF_MAX - std::uint64_t{60004}) == 1);
  CHECK(events.count([](const Event& event) {
    return event.kind == EventKind::kReallocate && event.released_size == 6001 &&
           event.size == 6000;
  }) == 1);
  CHECK(events.count([](const Event& event) {
    return event.kind == EventKind::kReallocate && event.released_size == 6000 &&
           event.size == 60003;
  }) == 1);
  CHECK(events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "realloc is right when another thread gets the old address at once") {
  const Recording recording = record_unchanged(host("realloc_race"));
  CHECK(recording.events.session().unmatched_releases == 0);
  // Four threads of 30,000 rounds. In one pass: a pass for each of the 1,000 sizes takes a minute.
  const auto large = recording.events.count([](const trace::Event& event) {
    return trace::is_allocation(event.kind) && event.lane == trace::Lane::kHeap &&
           event.size >= 90000 && event.size < 91000;
  });
  CHECK(large == 120000);
  CHECK(recording.events.blocks_left(90000, 91000) == 0);
  CHECK(recording.events.allocations(2048) == 24000);
  for (const std::uint64_t size : {2040U, 2041U, 2042U, 2048U})
    CHECK(recording.events.blocks_left(size) == 0);
}
