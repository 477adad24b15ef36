#include "analyzer/io/child_processes.hpp"

#include "collector/os/exec_arguments.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::analyzer {
namespace {

/// A pipe that closes by itself in an exec. What the child writes to is none of the standard
/// streams: one that is closed here would be taken for it.
/// @return false: errno says why.
bool open_report(std::array<int, 2>& ends) {
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return false;
  }
  const int moved = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(ends[1]);
  ends[1] = moved;
  if (moved < 0) {
    close(ends[0]);
    errno = error;
  }
  return moved >= 0;
}

/// Gives a program one of its standard streams.
void give(int descriptor, int stream) {
  if (descriptor == stream) {
    fcntl(stream, F_SETFD, 0);  // It stays open.
  } else if (descriptor >= 0) {
    dup2(descriptor, stream);
  }
}

/// A signal that comes before the exec must not be handled by a copy of this process.
void leave_handlers() {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      signal(number, SIG_DFL);
    }
  }
}

/// The child's life until it is the program. Tells `report` the error number of an exec that
/// failed.
[[noreturn]] void become(const Program& program,
                         char* const* arguments,
                         const sigset_t& mask,
                         bool ignores_children,
                         int report) {
  leave_handlers();
  for (const int number : program.heeds) {
    signal(number, SIG_DFL);
  }
  if (ignores_children) {
    signal(SIGCHLD, SIG_IGN);
  }
  if (program.has_own_group) {
    setpgid(0, 0);
  }
  give(program.input, STDIN_FILENO);
  give(program.output, STDOUT_FILENO);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(program.path.c_str(), arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(report, &error, sizeof error);
  _exit(127);
}

/// @return 0 at the pipe's end.
int error_in(int report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

}  // namespace

ChildProcesses::ChildProcesses() {
  struct sigaction told {};
  told.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &told, &before_);
}

ChildProcesses::~ChildProcesses() {
  sigaction(SIGCHLD, &before_, nullptr);
}

std::optional<pid_t> ChildProcesses::start(Program program) const {
  const std::vector<char*> arguments = exec_arguments(program.words);
  std::array<int, 2> report{-1, -1};
  if (!open_report(report)) {
    return std::nullopt;
  }
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  const pid_t child = fork();
  if (child == 0) {
    become(program, arguments.data(), mask, before_.sa_handler == SIG_IGN, report[1]);
  }
  const int fork_error = child < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  close(report[1]);
  const int error = child < 0 ? fork_error : error_in(report[0]);
  close(report[0]);
  if (error == 0) {
    return child;
  }
  if (child > 0) {
    wait_for(*this, child);
  }
  errno = error;
  return std::nullopt;
}

std::optional<int> wait_for(const ChildProcesses& /*scope*/, pid_t child) {
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  return waited == child ? std::optional(status) : std::nullopt;
}

void wait_for_end(const ChildProcesses& /*scope*/, pid_t child) {
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

}  // namespace tidemark::analyzer
