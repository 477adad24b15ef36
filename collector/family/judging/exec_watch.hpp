/// Every exec of a session as reported by the kernel, if it permits this.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// A process has become another program.
struct Exec {
  pid_t pid = 0;            ///< In our own pid namespace.
  std::uint64_t at_ns = 0;  ///< CLOCK_MONOTONIC, as the watch reports it.
  std::string name;         ///< The kernel's name (comm): the first 15 bytes of the file's.
};

/// Uses perf's record of a program's new name, which every exec makes, for a process and everything
/// that it and its children start (perf_event_open(2)). There is one event and one buffer for each
/// processor. The cost: each fork and each thread of the session copies the events.
///
/// The kernel refuses this to ordinary users if kernel.perf_event_paranoid is 3 or more (as on
/// Debian), and in containers whose seccomp filter blocks it (as Docker's). It ends for a process
/// that becomes a program which it may not read, or which gains privileges.
class ExecWatch {
 public:
  ExecWatch() = default;
  ~ExecWatch();
  ExecWatch(const ExecWatch&) = delete;
  ExecWatch& operator=(const ExecWatch&) = delete;
  ExecWatch(ExecWatch&&) = delete;
  ExecWatch& operator=(ExecWatch&&) = delete;

  /// Call while `pid` waits before its first exec.
  /// @return false if the kernel refuses it; then there is nothing more to do.
  bool open(pid_t pid);
  [[nodiscard]] bool is_open() const { return !buffers_.empty(); }
  /// Reports the execs since the last call, in order of time only within each processor.
  void read(const std::function<void(Exec)>& tell);
  /// Whether no exec can have been missed: no buffer was ever full, and no processor was added.
  [[nodiscard]] bool is_complete() const;

 private:
  struct Buffer {
    FileDescriptor event;
    void* memory = nullptr;  ///< A page for both sides, then the records.
    std::size_t record_bytes = 0;
  };

  bool add(pid_t pid, int processor, std::size_t pages);
  void close();
  void read(Buffer& buffer, const std::function<void(Exec)>& tell);

  std::vector<Buffer> buffers_;
  std::vector<int> processors_;  ///< Those that are online.
  std::string scratch_;     ///< A record that wraps around its buffer's end.
  bool has_lost_ = false;
};

}  // namespace tidemark
