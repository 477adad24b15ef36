/// Programs that a command starts, and whose ends it learns.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark::analyzer {

struct Program {
  std::string path;                ///< Looked for in PATH if it has no slash.
  std::vector<std::string> words;  ///< The first is its own name.
  int input = -1;                  ///< What is its standard input; -1: that of this process.
  int output = -1;                 ///< The same for its standard output.
  bool has_own_group = false;      ///< A terminal's Ctrl-C does not reach it.
  std::vector<int> heeds = {};     ///< Signals that it does not ignore, though this process does.
};

/// While it lives, children of this process can be waited for. Where SIGCHLD is ignored, as a shell
/// with `trap '' CHLD` has it, the kernel forgets how they ended. Programs start with it ignored
/// then, as they would without us.
class ChildProcesses {
 public:
  ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;
  ChildProcesses(ChildProcesses&&) = delete;
  ChildProcesses& operator=(ChildProcesses&&) = delete;
  ~ChildProcesses();

  /// @return the child's id; none if it cannot be started: errno says why.
  [[nodiscard]] std::optional<pid_t> start(Program program) const;

 private:
  struct sigaction before_ {};
};

/// Waits until the child has ended, and gives its id back to the kernel.
/// @return its status as waitpid has it; none if it is no child of this process.
std::optional<int> wait_for(const ChildProcesses& scope, pid_t child);

/// Waits until the child has ended. Its id stays its own.
void wait_for_end(const ChildProcesses& scope, pid_t child);

}  // namespace tidemark::analyzer
