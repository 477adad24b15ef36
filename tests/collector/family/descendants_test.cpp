#include "collector/family/descendants.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <csignal>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using trace::WhyUnrecorded;

namespace {

/// A session's memory, and a clock that the test moves.
class Family {
 public:
  Family() : memory_(::memfd_create("session", MFD_CLOEXEC)) {
    REQUIRE(::ftruncate(memory_.number(), 4096) == 0);
    family_ = std::make_unique<Descendants>(
        SessionEntrance{"/proc/self/exe", "/proc/self/exe", 4096}, memory_.number());
  }
  Descendants* operator->() { return family_.get(); }
  /// Its name for other processes.
  [[nodiscard]] std::string path() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory_.number());
  }
  void map() {
    REQUIRE(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, memory_.number(), 0) != MAP_FAILED);
  }
  /// Past every pause.
  void look() { family_->look(now_ns_ += 2'000'000'000); }
  [[nodiscard]] std::uint64_t now_ns() const { return now_ns_; }
  void finish(const RefusalCounts& refused = {}) {
    family_->finish(now_ns_ += 2'000'000'000, refused);
  }

 private:
  FileDescriptor memory_;
  std::unique_ptr<Descendants> family_;
  std::uint64_t now_ns_ = 0;
};

/// A child that lives until it is ended, or the program that it becomes.
pid_t start(const char* program = nullptr) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (program != nullptr) {
      ::execlp(program, program, "100", nullptr);
      ::_exit(127);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    for (;;) {
      ::pause();
    }
  }
  ::close(ends[1]);
  char nothing = 0;
  CHECK(::read(ends[0], &nothing, 1) == 0);  // it is what it is to be
  ::close(ends[0]);
  return pid;
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

HostClaim claim_of(pid_t pid, bool is_forked, std::uint64_t at_ns) {
  return {.pid = pid, .parent = ::getpid(), .is_forked = is_forked, .at_ns = at_ns};
}

}  // namespace

TEST_CASE("a program that never mapped the session is unrecorded", "[descendants]") {
  Family family;
  const pid_t pid = start("sleep");
  family->begin(pid, 0);
  family.look();
  CHECK(family->alive() == 1);
  end(pid);
  family.look();
  family.look();
  CHECK(family->alive() == 0);
  CHECK(family->has_left());
  REQUIRE(family->unrecorded().count() == 1);
  const auto& entry = family->unrecorded().entries()[0];
  CHECK(entry.pid == static_cast<std::uint32_t>(pid));
  CHECK(entry.command == "sleep 100");
  CHECK(entry.why == WhyUnrecorded::kEnvironment);
  family.finish();
  CHECK(family->unrecorded().count() == 1);
}

TEST_CASE("a fork of a process with the session is as good as recorded", "[descendants]") {
  Family family;
  family.map();
  const pid_t pid = start();
  family->begin(pid, 0);
  family.look();
  end(pid);
  family.look();
  family.finish();
  CHECK(family->unrecorded().count() == 0);
}

TEST_CASE("a process is told by its claim, and one of others never", "[descendants]") {
  Family family;
  family.map();
  const pid_t pid = start();
  const auto found = family->find(claim_of(pid, true, 1));
  REQUIRE(found.state == HostSearch::State::kFound);
  CHECK(found.process->pid() == pid);
  CHECK(found.parent == ::getpid());
  CHECK(found.pid_namespace == 0);
  CHECK(family->find(claim_of(::getppid(), true, 1)).state == HostSearch::State::kGone);
  end(pid);
  CHECK(family->find(claim_of(pid, true, 1)).process == found.process);
  family.finish();
  CHECK(family->unrecorded().count() == 0);
}

TEST_CASE("a claim of a process that is not there may be one of another pid namespace",
          "[descendants]") {
  Family family;
  const pid_t pid = start();
  HostClaim inside = claim_of(pid, true, 1);
  inside.parent = 0;
  family->begin(pid, 0);
  // No memory is mapped in this test, so even one of that number cannot have made it.
  CHECK(family->find(inside).state == HostSearch::State::kNotYet);
  end(pid);
}

TEST_CASE("a claim that says who made it is nobody else's, whatever its numbers", "[descendants]") {
  Family family;
  family.map();
  const pid_t pid = start();
  const auto process = Process::open(pid);
  REQUIRE(process != nullptr);
  if (process->identity() == 0) {
    SKIP_TEST("a kernel without identities of processes (before Linux 6.9)");
    end(pid);
    return;
  }
  CHECK(process->identity() != Process::open(::getpid())->identity());
  family->begin(pid, 0);
  HostClaim inside = claim_of(1, true, 1);
  inside.parent = 0;
  inside.identity = process->identity();
  HostClaim of_another = claim_of(pid, true, 1);
  of_another.identity = process->identity() + 1;
  SECTION("while it lives") {
    CHECK(family->find(of_another).process == nullptr);
    const auto found = family->find(inside);
    REQUIRE(found.state == HostSearch::State::kFound);
    CHECK(found.process->pid() == pid);
    end(pid);
  }
  SECTION("when it has ended") {
    family.look();
    end(pid);
    family.look();
    CHECK(family->find(of_another).process == nullptr);
    const auto found = family->find(inside);
    REQUIRE(found.process != nullptr);
    CHECK(found.process->pid() == pid);
  }
  family.finish();
}

TEST_CASE(
    "a program that comes into the session as its main thread leaves is not said to be missing",
    "[descendants]") {
  Family family;
  std::array<int, 2> orders{};
  std::array<int, 2> answers{};
  REQUIRE(::pipe2(orders.data(), O_CLOEXEC) == 0);
  REQUIRE(::pipe2(answers.data(), O_CLOEXEC) == 0);
  const std::string path = family.path();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(orders[0], STDIN_FILENO);
    ::dup2(answers[1], STDOUT_FILENO);
    ::execl(TIDEMARK_HOSTS "maps_late", "maps_late", path.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(answers[1]);
  char byte = 'x';
  REQUIRE(::read(answers[0], &byte, 1) == 1);  // it is what it is to be
  family->begin(pid, 0);
  family.look();
  REQUIRE(::write(orders[1], &byte, 1) == 1);
  REQUIRE(::read(answers[0], &byte, 1) == 1);  // its main thread is gone now
  CHECK(family->find(claim_of(pid, false, family.now_ns())).state == HostSearch::State::kFound);
  end(pid);
  family.look();
  family.look();
  family.finish();
  CHECK(family->unrecorded().count() == 0);
  for (const int end : {orders[0], orders[1], answers[0]}) {
    ::close(end);
  }
}

TEST_CASE("children from before the session are no part of it", "[descendants]") {
  const pid_t stranger = start("sleep");
  Family family;
  const pid_t pid = start();
  family->begin(pid, 0);
  family.look();
  CHECK(family->alive() == 1);
  end(pid);
  family.look();
  CHECK(family->has_left());
  end(stranger);
  family.finish();
  CHECK(family->unrecorded().count() == 1);  // the fork, which has no session here
}

TEST_CASE("an orphan stays in the family, and is waited for", "[descendants]") {
  Family family;
  family.map();
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::fork() == 0) {
      for (;;) {
        ::pause();
      }
    }
    ::_exit(0);
  }
  family->begin(parent, 0);
  ::waitpid(parent, nullptr, 0);
  family.look();
  const auto children = children_of(::getpid());
  REQUIRE(children.size() == 1);
  CHECK(family->alive() == 1);
  CHECK_FALSE(family->has_left());
  ::kill(children[0], SIGKILL);
  std::vector<pid_t> last_looks;
  while (!children_of(::getpid()).empty()) {
    family->reap(0, [&](pid_t pid) { last_looks.push_back(pid); });
  }
  CHECK(last_looks == children);
  CHECK(family->has_left());
}

TEST_CASE("who found no room is counted, with a name where it has one", "[descendants]") {
  Family family;
  family.finish({{{WhyUnrecorded::kSeccomp, 1}, {}, {WhyUnrecorded::kTooMany, 3}}});
  REQUIRE(family->unrecorded().entries().size() == 2);
  CHECK(family->unrecorded().entries()[0].why == WhyUnrecorded::kSeccomp);
  CHECK(family->unrecorded().entries()[1].why == WhyUnrecorded::kTooMany);
  CHECK(family->unrecorded().count() == 4);
}
