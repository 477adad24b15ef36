#include "collector/process/process_facts.hpp"

#include "collector/process/process.hpp"
#include "tests/support/catch.hpp"

#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;

TEST_CASE("numbers in pid namespaces are read while they are a process's own") {
  const auto pids = [](const std::string& line) {
    const auto status = parse_process_status("Name:\tx\nPPid:\t1\n" + line, 7);
    return status ? status->pids : std::vector<pid_t>();
  };
  CHECK(pids("NSpid:\t7\n") == std::vector<pid_t>{7});
  CHECK(pids("NSpid:\t7\t1\n") == std::vector<pid_t>{7, 1});
  CHECK(pids("Uid:\t0\t0\t0\t0\n") == std::vector<pid_t>{7});  // a kernel without namespaces
  // Somebody has waited for it while it was read.
  CHECK(pids("NSpid:\t0\n").empty());
  CHECK(pids("NSpid:\t0\t0\n").empty());
  CHECK_FALSE(parse_process_status("", 7).has_value());
}

namespace {

/// A process that waits to be killed. Its name is made to be misread.
pid_t waiting_child() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, ") R 1 (");
    for (;;) {
      ::pause();
    }
  }
  while (read_process_stat(pid)->name != ") R 1 (") {
  }
  return pid;
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
}

/// While it lives, so many descriptors are left to this process.
class DescriptorsLeft {
 public:
  explicit DescriptorsLeft(rlim_t count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    const rlimit limit{static_cast<rlim_t>(next) + count, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  DescriptorsLeft(const DescriptorsLeft&) = delete;
  DescriptorsLeft(DescriptorsLeft&&) = delete;
  DescriptorsLeft& operator=(const DescriptorsLeft&) = delete;
  DescriptorsLeft& operator=(DescriptorsLeft&&) = delete;
  ~DescriptorsLeft() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a process of which nothing can be read for want of descriptors is not dead",
          "[process_facts]") {
  const pid_t pid = waiting_child();
  std::shared_ptr<const Process> process;
  {
    const DescriptorsLeft few(2);
    process = Process::open(pid);
    REQUIRE(process != nullptr);
    CHECK_FALSE(process->has_ended());
    const FileDescriptor kept = unless_among_the_last(FileDescriptor(::dup(0)));
    CHECK_FALSE(kept.is_open());
  }
  {
    const DescriptorsLeft none(0);
    REQUIRE_FALSE(read_process_stat(pid));
    CHECK_FALSE(process->has_ended());
    end(pid);
    REQUIRE(::waitpid(pid, nullptr, 0) == pid);
    CHECK(process->has_ended());
  }
  CHECK(process->has_ended());
}

TEST_CASE("what everybody may know of a process is read whatever its name", "[process_facts]") {
  const pid_t pid = waiting_child();
  const auto stat = read_process_stat(pid);
  REQUIRE(stat);
  CHECK(stat->parent == ::getpid());
  CHECK(stat->is_forked_only());
  CHECK_FALSE(stat->is_ending());
  CHECK(stat->start_ticks >= read_process_stat(::getpid())->start_ticks);
  const auto status = read_process_status(pid);
  REQUIRE(status);
  CHECK(status->parent == ::getpid());
  CHECK(status->real_user == ::getuid());
  CHECK(status->effective_group == ::getegid());
  CHECK(status->pids == std::vector<pid_t>{pid});
  CHECK(read_pids(pid) == std::vector<pid_t>{pid});

  end(pid);
  CHECK(read_process_stat(pid)->is_ending());
  ::waitpid(pid, nullptr, 0);
  CHECK_FALSE(read_process_stat(pid));
  CHECK_FALSE(read_process_status(pid));
  CHECK(read_pids(pid).empty());
}

TEST_CASE("this program was begun by an exec", "[process_facts]") {
  CHECK_FALSE(read_process_stat(::getpid())->is_forked_only());
}

TEST_CASE("a process stays ended, whoever has its number", "[process_facts]") {
  const pid_t pid = waiting_child();
  const auto process = Process::open(pid);
  REQUIRE(process != nullptr);
  CHECK_FALSE(process->has_ended());
  end(pid);
  CHECK(process->has_ended());
  ::waitpid(pid, nullptr, 0);
  CHECK(process->has_ended());
  CHECK(Process::open(pid) == nullptr);
  CHECK(Process::open(0) == nullptr);
}
