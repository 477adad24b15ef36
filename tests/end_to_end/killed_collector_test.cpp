#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session_files.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

bool is_running(pid_t pid) {
  return kill(pid, 0) == 0;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a killed recorder leaves the host running to its right end") {
  const Words words = host("outlives_its_recorder");
  Command command{words, {}, {}, true, {}, {}};
  RunningProgram alone(command, path("alone"));
  const std::string pid_line_alone = alone.read_line();
  const std::string before_alone = alone.read_line();
  alone.write_line("go");
  const std::string after_alone = alone.read_line();

  const auto shared_before = session_files();
  auto recorder = start_recording(command);
  const auto host_pid = static_cast<pid_t>(std::stol(recorder->read_line().substr(4)));
  REQUIRE(recorder->read_line() == before_alone);
  CHECK(session_files() == shared_before);
  kill(recorder->pid(), SIGKILL);
  const auto begin = std::chrono::steady_clock::now();
  recorder->write_line("go");
  CHECK(recorder->read_line() == after_alone);
  // Detached within a second; the rest of its two million blocks at full speed.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
  CHECK(recorder->wait().status == 128 + SIGKILL);
  CHECK(wait_until([&] { return !is_running(host_pid); }));
  CHECK(session_files() == shared_before);

  CHECK_FALSE(std::filesystem::exists(trace()));
  const Events events(trace() + ".incomplete");
  CHECK(events.loss().torn);
  const Outcome said = tidemark({"report", trace() + ".incomplete"});
  CHECK(said.status == 0);
  CHECK(said.out.find("LOST: the end of the recording") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "a recorder killed while the host is in full flight holds nobody up") {
  const auto recorder = start_recording({host("allocates_forever"), {}, {}, true, {}, {}});
  const auto pid = static_cast<pid_t>(std::stol(recorder->read_line()));
  while (std::stol(recorder->read_line()) < 1000000) {
  }
  kill(recorder->pid(), SIGKILL);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i)  // 5,000,000 blocks
    recorder->read_line();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
  kill(pid, SIGKILL);
  CHECK(recorder->wait().status == 128 + SIGKILL);
  const Events events(trace() + ".incomplete");
  CHECK(events.loss().torn);
  // What was flushed: all but the last moments.
  CHECK(events.allocations(4321) > 0);
  CHECK(events.allocations(4321) - events.releases(4321) <= 1);
}

TEST_CASE_METHOD(EndToEnd, "a growing trace says how long the host has waited for its recorder") {
  const auto recorder = start_recording({host("allocates_forever"), {}, {}, true, {}, {}});
  const auto pid = static_cast<pid_t>(std::stol(recorder->read_line()));
  kill(recorder->pid(), SIGSTOP);
  // It sleeps once its ring is full, and for nothing else.
  const std::string stat = "/proc/" + std::to_string(pid) + "/stat";
  REQUIRE(wait_until([&] { return read_text(stat).find(") S ") != std::string::npos; }));
  kill(recorder->pid(), SIGCONT);

  CHECK(wait_until([&] {
    const auto reader = trace::TraceReader::open(trace() + ".incomplete");
    return reader.ok() && reader.value().definitions().session.blocked_ns > 0;
  }));
  kill(pid, SIGKILL);
  CHECK(recorder->wait().status == 128 + SIGKILL);
  const Events events(trace());
  CHECK(events.session().blocked_ns > 0);
  CHECK_FALSE(events.loss().hides_memory());
}
