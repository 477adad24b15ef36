#include "reference_loaders/cli/child_process.hpp"

#include "tests/support/catch.hpp"

#include <csignal>

using namespace tidemark::loaders;

TEST_CASE("how a child ended is known where the ends of children are ignored", "[suite]") {
  auto* const before = std::signal(SIGCHLD, SIG_IGN);
  const ChildResult failed = run_child({"/bin/sh", "-c", "echo said; exit 7"});
  std::signal(SIGCHLD, SIG_IGN);
  const ChildResult killed = run_child({"/bin/sh", "-c", "kill -KILL $$"});
  std::signal(SIGCHLD, before);

  CHECK(failed.exit_status == 7);
  CHECK(failed.out == "said\n");
  CHECK(killed.signal == SIGKILL);
}
