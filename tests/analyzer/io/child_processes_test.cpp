/// Programs that are started and waited for: what is known of their ends, and what they are given.
#include "analyzer/io/child_processes.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <cerrno>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using analyzer::ChildProcesses;

namespace {

/// As `trap '' CHLD` in a shell leaves it to its programs.
class IgnoredChildren {
 public:
  IgnoredChildren() : before_(std::signal(SIGCHLD, SIG_IGN)) {}
  IgnoredChildren(const IgnoredChildren&) = delete;
  IgnoredChildren& operator=(const IgnoredChildren&) = delete;
  ~IgnoredChildren() { std::signal(SIGCHLD, before_); }

 private:
  void (*before_)(int);
};

analyzer::Program shell(std::string script) {
  analyzer::Program program;
  program.path = "sh";
  program.words = {"shell", "-c", std::move(script)};
  return program;
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  return ends;
}

/// What the program prints, and how it ended.
std::pair<std::string, std::optional<int>> outcome(const ChildProcesses& children,
                                                   analyzer::Program program) {
  const auto [reading, writing] = make_pipe();
  program.output = writing;
  const auto child = children.start(std::move(program));
  close(writing);
  REQUIRE(child);
  std::string text;
  std::array<char, 512> piece{};
  for (ssize_t got = 0; (got = read(reading, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(reading);
  return {text, wait_for(children, *child)};
}

/// Its word has a bit for each signal that the program ignores. It ends with exit status 2.
analyzer::Program says_ignored() {
  analyzer::Program program;
  program.path = "grep";
  program.words = {"grep", "-hs", "SigIgn:", "/proc/self/status", "/no/such/file"};
  return program;
}

bool has_signal(const std::string& line, int number) {
  return ((std::stoull(line.substr(line.find('\t')), nullptr, 16) >>
           static_cast<unsigned>(number - 1)) &
          1U) != 0;
}

}  // namespace

TEST_CASE("how a program ended is known, also where the ends of children are ignored", "[io]") {
  const bool is_ignored = GENERATE(false, true);
  CAPTURE(is_ignored);
  const IgnoredChildren ignored;
  if (!is_ignored) {
    std::signal(SIGCHLD, SIG_DFL);
  }
  {
    const ChildProcesses children;
    const auto [mask, status] = outcome(children, says_ignored());
    REQUIRE(status);
    CHECK(WEXITSTATUS(*status) == 2);
    CHECK(has_signal(mask, SIGCHLD) == is_ignored);  // As it would be without us.
  }
  CHECK(std::signal(SIGCHLD, SIG_DFL) == (is_ignored ? SIG_IGN : SIG_DFL));
}

TEST_CASE("a child that has ended keeps its id until it is waited for", "[io]") {
  const IgnoredChildren ignored;
  const ChildProcesses children;
  const auto child = children.start(shell("kill -KILL $$"));
  REQUIRE(child);

  wait_for_end(children, *child);
  CHECK(kill(*child, 0) == 0);
  const auto status = wait_for(children, *child);

  REQUIRE(status);
  CHECK(WTERMSIG(*status) == SIGKILL);
  CHECK_FALSE(wait_for(children, *child));
}

TEST_CASE("a program that cannot be started is no child, and errno says why", "[io]") {
  const ChildProcesses children;
  analyzer::Program program = shell("true");
  program.path = "/no/such/program";

  const auto child = children.start(program);
  const int error = errno;

  CHECK_FALSE(child);
  CHECK(error == ENOENT);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("a program has the streams and the group that it is given", "[io]") {
  const ChildProcesses children;
  const auto [reading, writing] = make_pipe();
  REQUIRE(write(writing, "given\n", 6) == 6);
  close(writing);
  analyzer::Program program = shell("cat; ps -o pgid= -p $$; echo $$");
  program.input = reading;
  program.has_own_group = true;

  const auto [text, status] = outcome(children, program);

  close(reading);
  CHECK(status == 0);
  std::istringstream words(text);
  std::string given;
  pid_t group = 0;
  pid_t pid = 1;
  words >> given >> group >> pid;
  CHECK(given == "given");
  CHECK(pid == group);
}

TEST_CASE("a program ignores what this process does, but for the signals that it heeds", "[io]") {
  const ChildProcesses children;
  analyzer::Program program = says_ignored();
  program.heeds = {SIGUSR1};
  auto* const first = std::signal(SIGUSR1, SIG_IGN);
  auto* const second = std::signal(SIGUSR2, SIG_IGN);

  const auto [mask, status] = outcome(children, program);

  std::signal(SIGUSR1, first);
  std::signal(SIGUSR2, second);
  CHECK_FALSE(has_signal(mask, SIGUSR1));
  CHECK(has_signal(mask, SIGUSR2));
}

TEST_CASE("a program starts where this process has no standard streams", "[io]") {
  const ChildProcesses children;
  std::array<int, 3> kept{};
  for (int stream = 0; stream < 3; ++stream) {
    kept.at(static_cast<std::size_t>(stream)) = fcntl(stream, F_DUPFD_CLOEXEC, 100);
    close(stream);
  }
  analyzer::Program program = shell("exit 7");
  program.output = STDOUT_FILENO;

  const auto child = children.start(program);
  const auto status = child ? wait_for(children, *child) : std::nullopt;

  for (int stream = 0; stream < 3; ++stream) {
    dup2(kept.at(static_cast<std::size_t>(stream)), stream);
    close(kept.at(static_cast<std::size_t>(stream)));
  }
  REQUIRE(status);
  CHECK(WEXITSTATUS(*status) == 7);
}
