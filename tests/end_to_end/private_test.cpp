#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session_files.hpp"

#include <csignal>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// The recorder's end of the shared memory, as a path; empty when it has none.
std::string session_file(pid_t recorder) {
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(recorder) + "/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path(), ignored)
            .string()
            .starts_with("/memfd:tidemark"))
      return entry.path();
  }
  return {};
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

Command waiting_host() {
  return {EndToEnd::host("allocates_then", {"10", "wait"}), {}, {}, true, {}, {}};
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "the shared memory is its owner's alone and has no name") {
  const auto before = session_files();
  const auto recorder = start_recording(waiting_host());
  REQUIRE(recorder->read_line() == "done");
  const std::string file = session_file(recorder->pid());
  REQUIRE_FALSE(file.empty());
  CHECK(mode_of(file) == 0600);
  CHECK(session_files() == before);
  recorder->signal(SIGTERM);
  CHECK(recorder->wait().status == 128 + SIGTERM);
  CHECK(session_files() == before);
}

TEST_CASE_METHOD(EndToEnd, "another user can neither open the shared memory nor end a session") {
  if (geteuid() != 0) {
    SKIP_TEST("only root can become another user");
    CHECK(geteuid() != 0);
    return;
  }
  const auto recorder = start_recording(waiting_host());
  REQUIRE(recorder->read_line() == "done");
  const std::string file = session_file(recorder->pid());
  const auto open_it = "exec 3<>" + file + " && echo opened";
  const Outcome as_owner = run_alone({"/bin/bash", "-c", open_it});
  CHECK(as_owner.out == "opened\n");
  const Words as_other{"setpriv",        "--reuid=65534", "--regid=65534",
                       "--clear-groups", "/bin/bash",     "-c"};
  Words opening = as_other;
  opening.push_back(open_it);
  const Outcome opened = run_alone(opening);
  CHECK(opened.out.empty());
  CHECK(opened.status != 0);
  Words killing = as_other;
  killing.push_back("kill -TERM " + std::to_string(recorder->pid()) + " && echo killed");
  CHECK(run_alone(killing).out.empty());
  recorder->signal(SIGTERM);
  CHECK(recorder->wait().status == 128 + SIGTERM);
  CHECK(Events(trace()).allocations(4321) == 10);
}

TEST_CASE_METHOD(EndToEnd, "a trace follows the user's umask") {
  struct Mask {
    mode_t umask;
    mode_t mode;
  };
  const auto mask = GENERATE(Mask{0022, 0644}, Mask{0027, 0640}, Mask{0077, 0600});
  CAPTURE(mask.umask);
  Command command;
  command.words = host("allocates_then", {"10", "return"});
  command.before_exec = [&] { umask(mask.umask); };
  const Recording recording = record_unchanged(command);
  CHECK(mode_of(recording.trace) == mask.mode);
}
