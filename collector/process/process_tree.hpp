/// The processes below this one, as the kernel lists them.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// The children of a process, of all its threads. One whose brother is waited for at that very
/// moment may be missing (proc(5)), so an answer is good for a moment and the next one makes up for
/// it. Of a process with hundreds of threads each call looks at some of them, in turns.
std::vector<pid_t> children_of(pid_t pid);

/// The thread of the process that its memory is asked of: the kernel says no more of a main thread
/// that has ended while others go on. `pid` itself where all have ended.
pid_t thread_with_memory(pid_t pid);

/// Tells whether anything was started on this machine since the last time, at the cost of one read.
class TaskCounter {
 public:
  TaskCounter();
  /// True as well where it cannot be told.
  bool has_moved();
  /// To be called once a process was surely started since the last `has_moved`. Where the counter
  /// did not see that (a /proc/loadavg that is made up for a container), it is not believed again.
  void prove();

 private:
  [[nodiscard]] std::optional<std::uint64_t> last_pid() const;

  FileDescriptor loadavg_;
  std::optional<std::uint64_t> seen_;
  bool is_believed_ = false;
};

}  // namespace tidemark
