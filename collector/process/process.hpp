/// One process, known for good: its number may be given to another one, this never speaks of that.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/process/process_facts.hpp"

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>

#include <sys/types.h>

namespace tidemark {

class Process {
 public:
  /// @return null when there is no process of that number. One that has ended, and that nobody has
  /// waited for yet, is one.
  /// @param stat set to what was read of it on the way, unless null.
  static std::shared_ptr<const Process> open(pid_t pid, ProcessStat* stat = nullptr);

  /// Its number in our own pid namespace.
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// When it began, in the kernel's ticks since boot.
  [[nodiscard]] std::uint64_t start_ticks() const { return start_ticks_; }
  /// Inode of its pidfd: what wire::ProcessSlot::identity is of the same process. 0: not known, as
  /// before Linux 6.9.
  [[nodiscard]] std::uint64_t identity() const { return identity_; }
  /// CPU time of all its threads so far, with that of those that have ended. None where the kernel
  /// does not tell.
  [[nodiscard]] std::optional<std::uint64_t> cpu_ns() const;
  /// All its threads have ended. Stays true.
  [[nodiscard]] bool has_ended() const;

 private:
  Process(pid_t pid, std::uint64_t start_ticks, FileDescriptor pidfd);

  pid_t pid_;
  std::uint64_t start_ticks_;
  /// Closed before Linux 5.3, and when there are no more descriptors: then number and start are
  /// compared.
  FileDescriptor pidfd_;
  std::uint64_t identity_;
  std::optional<clockid_t> cpu_clock_;
};

/// All threads of whoever has that number have ended, or nobody has it.
bool has_ended(pid_t pid);

}  // namespace tidemark
