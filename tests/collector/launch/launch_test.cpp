/// How a program is started: at once, or not at all.
#include "collector/launch/launch.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

Launch touch_of(const std::string& file) {
  Launch what;
  what.command = {"touch", file};
  what.path = "/usr/bin/touch";
  return what;
}

sigset_t held_signals() {
  sigset_t held;
  sigprocmask(SIG_SETMASK, nullptr, &held);
  return held;
}

bool is_any_child_left() {
  return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

}  // namespace

TEST_CASE("a program waits until all is ready for it", "[launch]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("touched");
  Launch what = touch_of(file);
  const sigset_t before = held_signals();
  bool is_waiting = false;
  what.before_exec = [&](pid_t child) {
    ::usleep(20'000);
    is_waiting = ::kill(child, 0) == 0 && !std::filesystem::exists(file);
  };
  const Result<pid_t> started = launch(what);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(started.ok());
  CHECK(is_waiting);
  int status = -1;
  CHECK(::waitpid(started.value(), &status, 0) == started.value());
  CHECK(status == 0);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("a program that cannot be made ready for is never run", "[launch]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("touched");
  Launch what = touch_of(file);
  what.before_exec = [](pid_t) { throw std::bad_alloc(); };
  CHECK_THROWS_AS(launch(what), std::bad_alloc);
  CHECK_FALSE(is_any_child_left());
  CHECK_FALSE(std::filesystem::exists(file));
  const sigset_t after = held_signals();
  CHECK(sigismember(&after, SIGTERM) == 0);
}

TEST_CASE("a program whose recorder is killed before it began runs as it does alone", "[launch]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("touched");
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const pid_t recorder = ::fork();
  if (recorder == 0) {
    ::close(ends[0]);
    Launch what = touch_of(file);
    what.before_exec = [](pid_t) { ::kill(::getpid(), SIGKILL); };
    (void)launch(what);
    ::_exit(0);
  }
  ::close(ends[1]);
  int status = 0;
  REQUIRE(::waitpid(recorder, &status, 0) == recorder);
  CHECK(WIFSIGNALED(status));
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);  // its child has ended, too
  ::close(ends[0]);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("how children end stays known behind the program, where that was ignored", "[launch]") {
  const TemporaryFolder folder;
  auto* const ignored = std::signal(SIGCHLD, SIG_IGN);
  const Result<pid_t> started = launch(touch_of(folder.file("touched")));
  REQUIRE(started.ok());
  {
    std::atomic<std::uint32_t> doorbell{0};
    const SignalForwarding forwarding(started.value(), doorbell);
    CHECK(::waitpid(started.value(), nullptr, 0) == started.value());
  }
  // As that which looks up names.
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(7);
  }
  int status = 0;
  const pid_t waited = ::waitpid(child, &status, 0);
  std::signal(SIGCHLD, ignored);
  CHECK(waited == child);
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("a program that cannot be run is said, and leaves nothing", "[launch]") {
  Launch what = touch_of("x");
  what.path = "/no/such/program";
  const Result<pid_t> started = launch(what);
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().message == "cannot run touch: No such file or directory");
  CHECK_FALSE(is_any_child_left());
}
