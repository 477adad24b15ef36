/// A recording made by a `tidemark record` of its own: each run starts from the same state, and the
/// cost of one is not counted in the next.
#pragma once

#include "analyzer/cli/verbs/recording/record_command.hpp"
#include "analyzer/io/child_processes.hpp"
#include "collector/trace/types/result.hpp"

#include <sys/types.h>

namespace tidemark::cli {

struct ChildEnd {
  int status = 0;  ///< Exit status of tidemark record: the host's own, 128 + N for signal N.
  int interrupted_by = 0;  ///< The signal that this process received meanwhile; 0: none.
};

/// Runs `tidemark record` with these options to its end. What the host prints to standard output
/// goes to the descriptor `printed`, or to standard error when that is -1. SIGINT, SIGTERM and
/// SIGHUP reach the host, and are reported instead of ending this process.
/// @return kIo if tidemark could not be started again, or waited for.
Result<ChildEnd> record_in_child(const analyzer::ChildProcesses& children,
                                 const RecordOptions& options,
                                 int printed);

/// Waits for a window in a process group of its own. SIGINT, SIGTERM and SIGHUP reach it instead of
/// ending this process.
void wait_for_background(const analyzer::ChildProcesses& children, pid_t window);

}  // namespace tidemark::cli
