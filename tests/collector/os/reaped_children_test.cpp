#include "collector/os/reaped_children.hpp"

#include "tests/support/catch.hpp"

#include <csignal>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using tidemark::has_reaped_children;

namespace {

enum class Children { kNone, kLeft, kReaped };

/// A process that has ended and that nobody has waited for; its name is made to be misread.
pid_t ended_process_with(Children children) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_NAME, ") R 1 (");
    const pid_t child = children == Children::kNone ? 0 : ::fork();
    if (child == 0) {
      ::_exit(0);
    }
    ::_exit(children == Children::kReaped && ::waitpid(child, nullptr, 0) != child ? 1 : 0);
  }
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  return pid;
}

}  // namespace

TEST_CASE("an ended process is known to have waited for children", "[reaped_children]") {
  for (const Children children : {Children::kNone, Children::kLeft, Children::kReaped}) {
    const pid_t pid = ended_process_with(children);
    CAPTURE(static_cast<int>(children));

    CHECK(has_reaped_children(pid) == (children == Children::kReaped));
    ::waitpid(pid, nullptr, 0);
    CHECK_FALSE(has_reaped_children(pid));
  }
}
