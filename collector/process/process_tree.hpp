/// The processes below this one, as the kernel lists them.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// The children of all threads of a process. One may be missing if its sibling is reaped at that
/// very moment (proc(5)); the next call then finds it. For a process with hundreds of threads each
/// call checks only some of them, in turns.
std::vector<pid_t> children_of(pid_t pid);

/// The thread through which to ask about the process's memory: for a main thread that has ended
/// before others, the kernel reports none. `pid` itself if all have ended.
pid_t thread_with_memory(pid_t pid);

/// Tells whether any process was started on this machine since the last call, for one read.
class TaskCounter {
 public:
  TaskCounter();
  /// Also true if unknown.
  bool has_moved();
  /// Call when a process has certainly been started since the last `has_moved`. If the counter has
  /// missed it (a container's synthetic /proc/loadavg), it is not trusted again.
  void prove();

 private:
  [[nodiscard]] std::optional<std::uint64_t> last_pid() const;

  FileDescriptor loadavg_;
  std::optional<std::uint64_t> seen_;
  bool is_believed_ = false;
};

}  // namespace tidemark
