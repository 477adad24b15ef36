#include "collector/process/process_names.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using tidemark::kCommandBytes;
using tidemark::read_command;
using tidemark::read_executable;
using tidemark::tests::TemporaryFolder;

namespace {

/// A running program, ended with the object.
class Running {
 public:
  Running(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    std::array<int, 2> started{};
    REQUIRE(::pipe2(started.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execv(program.c_str(), argv.data());
      ::_exit(127);
    }
    ::close(started[1]);
    char byte = 0;
    REQUIRE(::read(started[0], &byte, 1) == 0);  // Closed by the exec.
    ::close(started[0]);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  Running(Running&&) = delete;
  Running& operator=(Running&&) = delete;
  ~Running() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("a command is its arguments joined by spaces", "[process_names]") {
  const Running process("/bin/sleep", {"sleep", "1000", "0"});
  CHECK(read_command(process.pid()) == "sleep 1000 0");
}

TEST_CASE("a long command is cut", "[process_names]") {
  std::vector<std::string> arguments(kCommandBytes, "0");  // To sleep, their sum counts.
  arguments.insert(arguments.begin(), {"sleep", "1000"});
  const Running process("/bin/sleep", arguments);
  const std::string command = read_command(process.pid());
  CHECK(command.size() == kCommandBytes);
  CHECK(command.starts_with("sleep 1000 0 0 0"));
}

TEST_CASE("an executable is known by its path, also once it is deleted", "[process_names]") {
  const TemporaryFolder folder;
  const std::string program = folder.copy_of("/bin/sleep", "sleeper");
  const Running process(program, {"sleeper", "1000"});
  CHECK(read_executable(process.pid()) == program);
  std::filesystem::remove(program);
  CHECK(read_executable(process.pid()) == program);
}

TEST_CASE("a process that is gone has no names", "[process_names]") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  CHECK(read_command(pid).empty());
  CHECK(read_executable(pid).empty());
}
