// Hosts that another pid namespace calls by another number.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// The process that made blocks of `size` bytes.
const trace::Process* maker_of(const Events& events, std::uint64_t size) {
  const auto& all = events.all();
  const auto found = std::ranges::find_if(all, [&](const trace::Event& event) {
    return trace::is_allocation(event.kind) && event.size == size;
  });
  return found == all.end() ? nullptr : &events.process(*found);
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a forked child in a pid namespace of its own is recorded whole") {
  const Words words = host("enters_namespace", {"pid_fork"});
  if (const Outcome alone = run_alone(words); alone.status == 125) {
    SKIP_TEST("no pid namespace for this user");
    CHECK(alone.status == 125);
    return;
  }
  Words command{"record", "-q", "--wait-children", "-o", trace(), "--"};
  command.insert(command.end(), words.begin(), words.end());
  const Outcome outcome = tidemark(command);
  CHECK(outcome.status == 4);
  const Events events(trace());
  CHECK(events.allocations(4571) == 500);
  CHECK(events.allocations(4573) == 500);
  CHECK_FALSE(events.loss().hides_memory());
  CHECK(events.loss().processes_left == 0);

  const trace::Process* first = maker_of(events, 4571);
  const trace::Process* second = maker_of(events, 4573);
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  // Numbers are ours, not those of its namespace, and so is what was read from outside.
  CHECK(first->pid > 1);
  CHECK(first->parent_pid == events.definitions().processes[0].pid);
  CHECK(first->parent == 0);
  CHECK(first->kernel_peak_rss_bytes > 64 * kMiB);
  CHECK(first->kernel_peak_rss_bytes < 96 * kMiB);
  CHECK(first->end_ns > first->begin_ns);
  CHECK(second != first);
}

TEST_CASE_METHOD(EndToEnd, "namespaces one after the other are told apart, though numbers repeat") {
  const std::string enter = host("enters_namespace").front();
  const std::string program = host("lives_a_while").front();
  if (const Outcome alone = run_alone({enter, "user_pid", program}); alone.status == 125) {
    SKIP_TEST("no user namespace for this user");
    CHECK(alone.status == 125);
    return;
  }
  const Recording recording =
      record({"sh", "-c", R"(for i in 1 2 3 4; do "$0" pid "$1"; "$0" user_pid "$1"; done)", enter,
              program});
  CHECK(recording.events.allocations(4561) == 4 * 100);
  CHECK(recording.events.allocations(4577) == 4 * 500);
  const trace::Loss& loss = recording.events.loss();
  INFO(recording.host.err);
  CHECK(loss.processes_unrecorded == 4);
  for (const trace::Unrecorded& entry : loss.unrecorded) {
    CHECK(trace::word_of(entry.why) == "user_namespace");
    CHECK(entry.pid > 1);
  }
}

TEST_CASE_METHOD(EndToEnd, "a program in a pid namespace of its own is recorded whole") {
  Words words = host("enters_namespace", {"pid"});
  words.push_back(host("lives_a_while").front());
  if (const Outcome alone = run_alone(words); alone.status == 125) {
    SKIP_TEST("no pid namespace for this user");
    CHECK(alone.status == 125);
    return;
  }
  const Recording recording = record(words);
  CHECK(recording.host.status == 3);
  CHECK(recording.events.allocations(4561) == 100);
  CHECK_FALSE(recording.events.loss().hides_memory());
  const trace::Process* program = maker_of(recording.events, 4561);
  REQUIRE(program != nullptr);
  CHECK(program->pid > 1);
  CHECK(base_name(program->executable) == "lives_a_while");
  CHECK(program->kernel_peak_rss_bytes > 0);
}
