/// A stable handle of one process: if its pid is reused, this never refers to the new process.
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
  /// @return null if there is no process with that pid. A zombie counts as one.
  /// @param stat if not null, set to the stat that was read on the way.
  static std::shared_ptr<const Process> open(pid_t pid, ProcessStat* stat = nullptr);

  /// Its number in our own pid namespace.
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// When it began, in the kernel's ticks since boot.
  [[nodiscard]] std::uint64_t start_ticks() const { return start_ticks_; }
  /// Inode of its pidfd, equal to the same process's wire::ProcessSlot::identity. 0: unknown, as
  /// before Linux 6.9.
  [[nodiscard]] std::uint64_t identity() const { return identity_; }
  /// CPU time of all its threads so far, including ended ones. None if the kernel does not say.
  [[nodiscard]] std::optional<std::uint64_t> cpu_ns() const;
  /// All its threads have ended. Stays true.
  [[nodiscard]] bool has_ended() const;

 private:
  Process(pid_t pid, std::uint64_t start_ticks, FileDescriptor pidfd);

  pid_t pid_;
  std::uint64_t start_ticks_;
  /// Closed before Linux 5.3, and if descriptors have run out: then pid and start time are
  /// compared.
  FileDescriptor pidfd_;
  std::uint64_t identity_;
  std::optional<clockid_t> cpu_clock_;
};

/// True if all threads of the process with that pid have ended, or there is no such process.
bool has_ended(pid_t pid);

}  // namespace tidemark
