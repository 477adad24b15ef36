// A recorder that stands still for a moment, as on a machine with too much to do: it sees processes
// late, or only when they are gone, and still takes nobody for unrecorded.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <sys/wait.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// Until the program ends.
void pause_now_and_then(const RunningProgram& program, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> microseconds(100, 8'000);
  const auto wait = [&] {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
  };
  const auto has_ended = [&] {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(program.pid()), &ended, WEXITED | WNOHANG | WNOWAIT) !=
               0 ||
           ended.si_pid != 0;
  };
  while (!has_ended()) {
    kill(program.pid(), SIGSTOP);
    wait();
    kill(program.pid(), SIGCONT);
    wait();
  }
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a recorder that stands still now and then takes nobody for lost") {
  const Words many{"/bin/sh", "-c", "for i in 1 2 3; do /bin/true; done; ls / | cat; exec true"};
  Words confined{"/usr/bin/unshare", "-Urfp", "--mount-proc", "/bin/true"};
  const bool is_confined = GENERATE(false, true);
  if (is_confined && run_alone(confined).status != 0) {
    WARN("SKIPPED: no pid namespace for this user");
    SUCCEED();
    return;
  }
  const Words& words = is_confined ? confined : many;
  const Outcome alone = run_alone(words);
  for (unsigned seed = 0; seed < 25; ++seed) {
    const auto recorder = start_recording(Command{words, {}, {}, false, {}, {}});
    pause_now_and_then(*recorder, seed);
    const Outcome ended = recorder->wait();
    CAPTURE(seed);
    CHECK(ended.status == alone.status);
    CHECK(ended.out == alone.out);
    CHECK(ended.err.empty());
    CHECK_FALSE(Events(trace()).loss().hides_memory());
  }
}
