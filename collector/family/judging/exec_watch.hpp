/// Every exec of a session, told by the kernel, where it lets us know.
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
  std::uint64_t at_ns = 0;  ///< As the watch tells it: CLOCK_MONOTONIC.
  std::string name;         ///< The kernel's name of it (comm): the file's, 15 bytes of it.
};

/// Perf's record of a program's new name, which every exec makes, for a process and all that it and
/// its children start (perf_event_open(2)). One event and one buffer for each processor: each fork
/// and each thread of the session copies the events, which is what this costs.
///
/// The kernel refuses it to ordinary users where kernel.perf_event_paranoid is 3 or more (as on
/// Debian), and in containers whose seccomp filter leaves it out (as Docker's). It ends for a
/// process that becomes a program which it may not read, or which gains rights.
class ExecWatch {
 public:
  ExecWatch() = default;
  ~ExecWatch();
  ExecWatch(const ExecWatch&) = delete;
  ExecWatch& operator=(const ExecWatch&) = delete;
  ExecWatch(ExecWatch&&) = delete;
  ExecWatch& operator=(ExecWatch&&) = delete;

  /// To be called while `pid` stands before its first exec.
  /// @return false where the kernel refuses it. There is nothing more to do then.
  bool open(pid_t pid);
  [[nodiscard]] bool is_open() const { return !buffers_.empty(); }
  /// Tells the execs since the last call: in order of time for one processor, not for several.
  void read(const std::function<void(Exec)>& tell);
  /// No exec can have been missed so far: no buffer was ever full, and no processor was added.
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
  std::string processors_;  ///< As the kernel lists those that are online.
  std::string scratch_;     ///< A record, from where it lies in two parts.
  bool has_lost_ = false;
};

}  // namespace tidemark
