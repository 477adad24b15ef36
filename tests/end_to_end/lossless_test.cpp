#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <filesystem>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

pid_t number_of(const std::string& line) {
  return static_cast<pid_t>(std::stol(line));
}

/// The only child of a running recording: its host.
pid_t host_of(const RunningProgram& recorder) {
  const std::string pid = std::to_string(recorder.pid());
  return number_of(read_text("/proc/" + pid + "/task/" + pid + "/children"));
}

Command interactive(const Words& words) {
  return {words, {}, {}, true, {}, {}};
}

}  // namespace

TEST_CASE_METHOD(EndToEnd,
                 "a host killed from outside at a known point has left exactly what it did") {
  const auto recorder = start_recording(interactive(host("allocates_then", {"100000", "wait"})));
  REQUIRE(recorder->read_line() == "done");
  kill(host_of(*recorder), SIGKILL);
  CHECK(recorder->wait().status == 128 + SIGKILL);

  const Events events(trace());
  CHECK(events.allocations(4321) == 100000);
  CHECK(events.allocations_in("main", 4321) == 100000);
  CHECK(events.session().exit_status == 128 + SIGKILL);
  CHECK_FALSE(events.loss().torn);
  CHECK_FALSE(events.loss().hides_memory());
}

TEST_CASE_METHOD(EndToEnd, "a host killed at its first allocations has left them") {
  const auto recorder = start_recording(interactive(host("allocates_then", {"3", "wait"})));
  REQUIRE(recorder->read_line() == "done");
  kill(host_of(*recorder), SIGKILL);
  CHECK(recorder->wait().status == 128 + SIGKILL);
  CHECK(Events(trace()).allocations(4321) == 3);
}

TEST_CASE_METHOD(EndToEnd,
                 "a host killed in the middle of its work has left all that it had said") {
  const auto recorder = start_recording(interactive(host("allocates_forever")));
  const pid_t pid = number_of(recorder->read_line());
  std::uint64_t said = 0;
  while (said < 500000)
    said = static_cast<std::uint64_t>(number_of(recorder->read_line()));
  kill(pid, SIGKILL);
  CHECK(recorder->wait().status == 128 + SIGKILL);

  const Events events(trace());
  const std::size_t allocated = events.allocations(4321);
  CHECK(allocated >= said);
  // At most the last one is alive: nothing between the first and the last is missing.
  CHECK(allocated - events.releases(4321) <= 1);
  CHECK(events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "no kind of end loses what was done before") {
  struct End {
    const char* how;
    int status;
  };
  const auto end =
      GENERATE(End{"return", 7}, End{"segv", 128 + SIGSEGV}, End{"abort", 128 + SIGABRT},
               End{"trap", 128 + SIGILL}, End{"_exit", 8}, End{"quick_exit", 9},
               End{"exit_group", 10}, End{"kill", 128 + SIGKILL});
  CAPTURE(end.how);
  const Recording recording = record_unchanged(host("allocates_then", {"20000", end.how}));
  CHECK(recording.host.status == end.status);
  CHECK(recording.events.allocations(4321) == 20000);
  CHECK(recording.events.session().exit_status == end.status);
  CHECK(recording.events.count(trace::EventKind::kProcessEnd) == 1);
}

TEST_CASE_METHOD(EndToEnd, "an exec loses nothing done before, and the next image is recorded") {
  const Recording recording = record_unchanged(host("allocates_then", {"20000", "exec"}));
  CHECK(recording.host.status == 7);
  const Events& events = recording.events;
  CHECK(events.allocations(4321) == 20005);
  REQUIRE(events.definitions().processes.size() == 2);
  CHECK(events.definitions().processes[0].pid == events.definitions().processes[1].pid);
  CHECK(events.count(trace::EventKind::kProcessEnd) == 2);
  // The first image's memory went with it.
  CHECK(events.peak(trace::Lane::kHeap) < 20001ULL * 4321 + 100000);
}

TEST_CASE_METHOD(EndToEnd, "an exec of a static program loses nothing done before, and is said") {
  Words words = host("allocates_then", {"20000", "exec_static"});
  words.push_back(host("static")[0]);
  const Recording recording = record(words);
  CHECK(recording.events.allocations(4321) == 20000);
  CHECK(recording.events.loss().processes_unrecorded == 1);
  CHECK(recording.host.err.find("not recorded") != std::string::npos);
}
