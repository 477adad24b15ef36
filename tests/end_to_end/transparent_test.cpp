#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <csignal>

using namespace tidemark;
using namespace tidemark::tests;

TEST_CASE_METHOD(EndToEnd, "stdin, stdout and stderr pass through untouched") {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "line " + std::to_string(i) + "\n";
  Command command;
  command.words = {"/bin/sh", "-c", "cat; echo to stderr >&2; exit 17"};
  command.input = text;
  const Recording recording = record_unchanged(command);
  CHECK(recording.host.out == text);
  CHECK(recording.host.err == "to stderr\n");
  CHECK(recording.host.status == 17);
}

TEST_CASE_METHOD(EndToEnd,
                 "a signal sent to tidemark reaches the host, and its end is the host's") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGQUIT);
  const bool handles = GENERATE(true, false);
  CAPTURE(number, handles);
  const Words words =
      host("prints_signal", {std::to_string(number), handles ? "handle" : "default"});
  const auto recorder = start_recording({words, {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  recorder->signal(number);
  CHECK(recorder->wait().status == (handles ? 40 : 128 + number));
  CHECK(Events(trace()).session().exit_status == (handles ? 40 : 128 + number));
}

TEST_CASE_METHOD(EndToEnd,
                 "the host finds descriptors, signals, limits and variables as without us") {
  const Recording recording = record_unchanged(host("lists_descriptors"));
  CHECK(recording.host.out.find("descriptor") == std::string::npos);
  CHECK(recording.host.out.find("umask") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "a host that closes every descriptor is recorded all the same") {
  const Recording recording = record_unchanged(host("closes_descriptors"));
  CHECK(recording.host.out == "descriptor 3\n");
  CHECK(recording.events.allocations(4411) == 100);
  CHECK(recording.events.allocations(4412) == 100);
  CHECK(recording.events.releases(4412) == 100);
}
