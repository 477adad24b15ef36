#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using namespace tidemark::tests;

TEST_CASE_METHOD(EndToEnd, "coroutines on small stacks allocate, and their stacks are told") {
  const Recording recording = record_unchanged(host("coroutines"));
  CHECK(recording.events.allocations(2251) == 4000);
  CHECK(recording.events.releases(2251) == 4000);
  CHECK(recording.events.allocations_in("deep_in_a_coroutine", 2251) == 4000);
  CHECK(recording.events.allocations_in("body", 2251) == 4000);
}

TEST_CASE_METHOD(EndToEnd, "allocations 5,000 frames deep are exact, and cut stacks are said") {
  const Recording recording = record_unchanged(host("deep_recursion"));
  CHECK(recording.events.allocations(2261) == 25000);
  CHECK(recording.events.releases(2261) == 25000);
  CHECK(recording.events.allocations(2262) == 25000);
  CHECK(recording.events.allocations_in("descend", 2261) == 25000);
  // Those too deep to be kept whole still have their innermost frames; the rest reach main.
  const std::size_t whole = recording.events.allocations_in("main", 2261);
  CHECK(whole > 0);
  CHECK((whole == 25000 || recording.events.loss().stacks_truncated > 0));
}

TEST_CASE_METHOD(EndToEnd, "exceptions fly through frames that allocate as without tidemark") {
  const Recording recording = record_unchanged(host("throws"));
  CHECK(recording.host.out == "100000\n");
  CHECK(recording.events.allocations(2271) == 5000 * 210);
  CHECK(recording.events.releases(2271) == 5000 * 210);
}

TEST_CASE_METHOD(EndToEnd, "libraries that come and go at one place keep their functions apart") {
  const Recording recording = record_unchanged(host("loads_libraries"));
  CHECK(recording.host.out == "400\n");
  CHECK(recording.events.allocations_in("allocates_2291", 2291) == 200);
  CHECK(recording.events.allocations_in("allocates_2292", 2292) == 200);
  CHECK(recording.events.allocations_in("allocates_2292", 2291) == 0);
  CHECK(recording.events.count(trace::EventKind::kLoad) == 400);
  CHECK(recording.events.count(trace::EventKind::kUnload) == 400);
}

TEST_CASE_METHOD(EndToEnd, "what is allocated at exit is recorded to the last destructor") {
  const Recording recording = record_unchanged(host("allocates_at_exit"));
  for (const std::uint64_t size : {2281U, 2282U, 2283U}) {
    CAPTURE(size);
    CHECK(recording.events.allocations(size) == 1);
    CHECK(recording.events.releases(size) == 1);
  }
}
