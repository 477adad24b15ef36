// A recorder that stands still for a moment, as on a machine with too much to do: it sees processes
// late, or only when they are gone, and still takes nobody for unrecorded.
#include "preload/os/sys.hpp"
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <csignal>
#include <random>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// Stops the program and lets it go on, again and again, until it ends.
/// @return false where it has not ended at the deadline.
bool pause_until_it_ends(const RunningProgram& program, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> milliseconds(0, 8);
  // Readable once the program has ended; each step lasts as long as drawn, or until then.
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, program.pid(), 0));
  pollfd end{process, POLLIN, 0};
  const auto has_ended = [&] { return poll(&end, 1, milliseconds(random)) == 1; };
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  bool is_over = false;
  while (!is_over && std::chrono::steady_clock::now() < deadline) {
    kill(program.pid(), SIGSTOP);
    is_over = has_ended();
    kill(program.pid(), SIGCONT);
    is_over = is_over || has_ended();
  }
  close(process);
  return is_over;
}

class PausedRecorder : public EndToEnd {
 protected:
  /// Nobody is named as missing, and the program does what it does alone.
  void check(const Words& words) {
    const Outcome alone = run_alone(words);
    for (unsigned seed = 0; seed < 25; ++seed) {
      CAPTURE(seed);
      const auto recorder = start_recording(Command{words, {}, {}, false, {}, {}});
      REQUIRE(pause_until_it_ends(*recorder, seed));
      const Outcome ended = recorder->wait();
      CHECK(ended.status == alone.status);
      CHECK(ended.out == alone.out);
      INFO(ended.err);
      CHECK(ended.err.empty());
      CHECK_FALSE(Events(trace()).loss().hides_memory());
    }
  }
};

}  // namespace

TEST_CASE_METHOD(PausedRecorder,
                 "a recorder that stands still now and then takes nobody for lost") {
  check({"/bin/sh", "-c", "for i in 1 2 3; do /bin/true; done; ls / | cat; exec true"});
}

TEST_CASE_METHOD(PausedRecorder,
                 "a recorder that stands still finds a program in a pid namespace of its own") {
  const Words confined{"/usr/bin/unshare", "-Urfp", "--mount-proc", "/bin/true"};
  if (run_alone(confined).status != 0) {
    SKIP_TEST("no pid namespace for this user");
    return;
  }
  check(confined);
  // Before Linux 6.9 nobody can tell for sure who made which claim there.
  if (sys::process_identity() == 0) {
    SKIP_TEST("a kernel without identities of processes");
    return;
  }
  check({"/usr/bin/unshare", "-Urfp", "--mount-proc", "/bin/sh", "-c",
         "/bin/true; ls / | cat; exec true"});
}
