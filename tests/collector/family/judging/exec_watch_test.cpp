#include "collector/family/judging/exec_watch.hpp"

#include "collector/os/clocks.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <csignal>
#include <ctime>
#include <functional>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;

namespace {

/// A child that does `deed` once it is let go.
class HeldChild {
 public:
  explicit HeldChild(const std::function<void()>& deed) {
    REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends_[1]);
      char nothing = 0;
      [[maybe_unused]] const ssize_t got = ::read(ends_[0], &nothing, 1);
      deed();
      ::_exit(127);
    }
    ::close(ends_[0]);
  }
  HeldChild(const HeldChild&) = delete;
  HeldChild& operator=(const HeldChild&) = delete;
  HeldChild(HeldChild&&) = delete;
  HeldChild& operator=(HeldChild&&) = delete;
  ~HeldChild() { let_go(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void start() {
    if (ends_[1] >= 0) {
      ::close(ends_[1]);
    }
    ends_[1] = -1;
  }
  /// To its end. @return its exit status.
  int let_go() {
    start();
    int status = -1;
    const bool is_waited = has_ended_ || ::waitpid(pid_, &status, 0) != pid_;
    has_ended_ = true;
    return !is_waited && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::array<int, 2> ends_{};
  pid_t pid_ = 0;
  bool has_ended_ = false;
};

void become_true() {
  ::execl("/bin/true", "true", nullptr);
}

/// @return false, with a word, where the kernel does not tell execs here.
bool is_open(ExecWatch& watch, pid_t pid) {
  const bool is_open = watch.open(pid);
  CHECK(watch.is_open() == is_open);
  if (!is_open) {
    SKIP_TEST("the kernel does not tell execs here (kernel.perf_event_paranoid, seccomp)");
  }
  return is_open;
}

std::vector<Exec> read_all(ExecWatch& watch) {
  std::vector<Exec> execs;
  watch.read([&](Exec exec) { execs.push_back(std::move(exec)); });
  return execs;
}

}  // namespace

TEST_CASE("every exec of a process and of its children is told, and no other", "[exec_watch]") {
  HeldChild child([] {
    for (int i = 0; i < 3; ++i) {
      if (::fork() == 0) {
        become_true();
      }
      ::wait(nullptr);
    }
    become_true();
  });
  ExecWatch watch;
  if (!is_open(watch, child.pid())) {
    return;
  }
  const std::uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
  CHECK(read_all(watch).empty());
  HeldChild other(become_true);
  other.let_go();
  CHECK(child.let_go() == 0);
  const std::uint64_t after_ns = clock_ns(CLOCK_MONOTONIC);
  const auto execs = read_all(watch);
  REQUIRE(execs.size() == 4);
  int of_child = 0;
  for (const Exec& exec : execs) {
    CHECK(exec.name == "true");
    CHECK(exec.pid > 0);
    CHECK(exec.pid != other.pid());
    CHECK(exec.at_ns >= before_ns);
    CHECK(exec.at_ns <= after_ns);
    of_child += exec.pid == child.pid() ? 1 : 0;
  }
  CHECK(of_child == 1);
  CHECK(read_all(watch).empty());
  CHECK(watch.is_complete());
}

TEST_CASE("a watch that was not read in time says that it is not complete", "[exec_watch]") {
  // One name after the other, which fills a buffer faster than programs do: that of one processor.
  HeldChild child([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    const int name = ::open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < 100'000; ++i) {
      [[maybe_unused]] const ssize_t put = ::write(name, "name", 4);
    }
    become_true();
  });
  ExecWatch watch;
  if (!is_open(watch, child.pid())) {
    return;
  }
  CHECK(watch.is_complete());
  CHECK(child.let_go() == 0);
  CHECK(read_all(watch).empty());  // names are no execs
  CHECK_FALSE(watch.is_complete());
}

TEST_CASE("a watch that is read goes round its buffer without a loss", "[exec_watch]") {
  constexpr int kRounds = 20;
  std::array<int, 2> told{};
  std::array<int, 2> read{};
  REQUIRE(::pipe2(told.data(), O_CLOEXEC) == 0);
  REQUIRE(::pipe2(read.data(), O_CLOEXEC) == 0);
  HeldChild child([&] {
    ::close(read[1]);  // Where there is no watch, a read finds the end.
    const int name = ::open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
    char byte = 'x';
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < 1'000; ++i) {
        [[maybe_unused]] const ssize_t put =
            ::write(name, i % 3 == 0 ? "longer name" : "name", i % 3 == 0 ? 11 : 4);
      }
      if (::fork() == 0) {
        become_true();
      }
      ::wait(nullptr);
      [[maybe_unused]] const ssize_t put = ::write(told[1], &byte, 1);
      [[maybe_unused]] const ssize_t got = ::read(read[0], &byte, 1);
    }
    ::_exit(0);
  });
  ExecWatch watch;
  if (is_open(watch, child.pid())) {
    child.start();
    char byte = 'x';
    for (int round = 0; round < kRounds; ++round) {
      REQUIRE(::read(told[0], &byte, 1) == 1);
      CHECK(read_all(watch).size() == 1);
      REQUIRE(::write(read[1], &byte, 1) == 1);
    }
    CHECK(child.let_go() == 0);
    CHECK(watch.is_complete());
  }
  for (const int end : {told[0], told[1], read[0], read[1]}) {
    ::close(end);
  }
}

TEST_CASE("execs are told in a root directory without /sys, too", "[exec_watch]") {
  enum : int { kIsOpen, kIsClosed, kIsNotPermitted };
  HeldChild child([] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", "/sys", "tmpfs", 0, nullptr) != 0) {
      ::_exit(kIsNotPermitted);
    }
    ExecWatch watch;
    ::_exit(watch.open(::getpid()) ? kIsOpen : kIsClosed);
  });
  ExecWatch watch;
  if (!is_open(watch, child.pid())) {
    return;
  }
  const int status = child.let_go();
  if (status == kIsNotPermitted) {
    SKIP_TEST("a mount namespace is not permitted");
    return;
  }
  CHECK(status == kIsOpen);
}
