/// A recording made by a `tidemark record` of its own: each run starts from the same state, and the
/// cost of one is not counted in the next.
#pragma once

#include "analyzer/cli/verbs/recording/record_command.hpp"
#include "analyzer/io/child_processes.hpp"
#include "collector/trace/types/result.hpp"

#include <array>
#include <csignal>

#include <sys/types.h>

namespace tidemark::cli {

/// While there is one, SIGINT, SIGTERM and SIGHUP do not end this process: they reach the child
/// that is waited for, if there is one. Ignored signals stay ignored. Never two at a time.
class SignalsPassedOn {
 public:
  SignalsPassedOn();
  ~SignalsPassedOn();
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

  /// @return the last signal that came; 0: none.
  [[nodiscard]] int received() const;

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> old_{};
};

/// Runs `tidemark record` with these options to its end. What the host prints to standard output
/// goes to the descriptor `printed`, or to standard error when that is -1. The
/// signals reach the host.
/// @return the exit status of tidemark record: the host's own, 128 + N for signal N; kIo if
/// tidemark could not be started again, or waited for.
Result<int> record_in_child(const SignalsPassedOn& signals,
                            const analyzer::ChildProcesses& children,
                            const RecordOptions& options,
                            int printed);

/// Waits for a window in a process group of its own. SIGINT, SIGTERM and SIGHUP reach it instead of
/// ending this process.
void wait_for_background(const analyzer::ChildProcesses& children, pid_t window);

}  // namespace tidemark::cli
