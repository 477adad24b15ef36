#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <sstream>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

struct Counts {
  std::size_t in_handler = 0;
  std::size_t in_loop = 0;
};

/// What a host with a timer says: how often, which no two runs agree on.
Counts counts_of(const Recording& recording) {
  Counts counts;
  std::istringstream(recording.host.out) >> counts.in_handler >> counts.in_loop;
  return counts;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd,
                 "a handler that allocates between the main loop's allocations is exact") {
  const Recording recording = record(host("timer_allocates"));
  REQUIRE(recording.host.status == 0);
  const Counts counts = counts_of(recording);
  CHECK(counts.in_handler >= 2000);
  CHECK(recording.events.allocations(2221) == counts.in_handler);
  CHECK(recording.events.releases(2221) == counts.in_handler);
  CHECK(recording.events.allocations(2222) == counts.in_loop);
  CHECK(recording.events.releases(2222) == counts.in_loop);
  CHECK(recording.events.session().unmatched_releases == 0);
  CHECK_FALSE(recording.events.loss().hides_memory());
}

TEST_CASE_METHOD(EndToEnd, "a handler that interrupts a hook and records itself loses nothing") {
  const Recording recording = record(host("interrupted_hooks"));
  REQUIRE(recording.host.status == 0);
  const Counts counts = counts_of(recording);
  CHECK(counts.in_handler >= 3000);
  CHECK(recording.events.count([](const trace::Event& event) {
    return event.kind == trace::EventKind::kAllocate && event.lane == trace::Lane::kAnon &&
           event.size == 12288;
  }) == counts.in_handler);
  for (const std::uint64_t size : {2223U, 2224U}) {
    CAPTURE(size);
    CHECK(recording.events.allocations(size) == counts.in_loop);
    CHECK(recording.events.releases(size) == counts.in_loop);
  }
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "a handler that jumps out of our hooks leaves everything working") {
  const Recording recording = record_unchanged(host("jumps_out_of_hooks"));
  CHECK(recording.host.out == "300 jumps\n");
  CHECK(recording.events.allocations(2231) == 1000);
  CHECK(recording.events.releases(2231) == 1000);
}

TEST_CASE_METHOD(EndToEnd, "handlers on an alternate stack allocate as without tidemark") {
  const Recording recording = record_unchanged(host("alternate_stack"));
  CHECK(recording.host.out == "back\n");
  CHECK(recording.events.allocations(2241) == 500);
  CHECK(recording.events.releases(2241) == 500);
  CHECK(recording.events.allocations(2242) == 1);
}

TEST_CASE_METHOD(EndToEnd, "where the ends of children are ignored, the host's end is noticed") {
  // The recorder used to wait for ever: with SIGCHLD ignored the kernel keeps no exit status.
  Command command;
  command.words = {"sh", "-c", "grep SigIgn /proc/self/status; exit 7"};
  command.before_exec = [] { signal(SIGCHLD, SIG_IGN); };

  const Recording recording = record_unchanged(command);

  CHECK(recording.host.status == 7);
  CHECK(recording.events.session().exit_status == 7);
}
