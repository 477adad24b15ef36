#include "reference_loaders/cli/child_process.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::loaders {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = -1;
  }

 private:
  int fd_;
};

std::string command_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    line += (line.empty() ? "" : " ") + argument;
  }
  return line;
}

pid_t spawn(const std::vector<std::string>& arguments, int standard_output, int standard_error) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to them
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, standard_output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, standard_error, STDERR_FILENO);
  pid_t child = -1;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("{} cannot be started: {}", arguments[0], std::strerror(error)));
  }
  return child;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Where the shell's `trap '' CHLD` has it ignored, the kernel forgets how children end.
void learn_how_children_end() {
  signal(SIGCHLD, SIG_DFL);
}

/// Runs a child whose stdout comes through a pipe and whose stderr goes to `standard_error`.
ChildResult run(const std::vector<std::string>& arguments, int standard_error) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "no pipe to a child process");
  }
  learn_how_children_end();
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  const pid_t child = spawn(arguments, write_end.get(), standard_error);
  write_end.close();
  ChildResult result;
  result.out = read_all(read_end.get());
  const int status = wait_for(child);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return result;
}

}  // namespace

std::string output_of(const std::vector<std::string>& arguments) {
  ChildResult result = run(arguments, STDERR_FILENO);
  if (result.signal != 0) {
    throw std::runtime_error(
        fmt::format("'{}' was ended by signal {}", command_line(arguments), result.signal));
  }
  if (result.exit_status != 0) {
    throw std::runtime_error(fmt::format("'{}' failed with exit status {}", command_line(arguments),
                                         result.exit_status));
  }
  return std::move(result.out);
}

ChildResult run_child(const std::vector<std::string>& arguments) {
  // A file, not a second pipe: it need not be read while the child runs.
  const Descriptor errors(memfd_create("stderr", MFD_CLOEXEC));
  if (errors.get() < 0) {
    throw std::system_error(errno, std::generic_category(), "no memory for a child's stderr");
  }
  ChildResult result = run(arguments, errors.get());
  lseek(errors.get(), 0, SEEK_SET);
  result.err = read_all(errors.get());
  return result;
}

}  // namespace tidemark::loaders
