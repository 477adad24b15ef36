/// What the kernel lets everybody know of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// From /proc/PID/stat. Also of a process that has ended and that nobody has waited for yet.
struct ProcessStat {
  pid_t parent = 0;
  char state = '?';
  std::uint64_t flags = 0;        ///< The kernel's PF_ bits.
  std::uint64_t faults = 0;       ///< Of all its threads, minor and major, over its whole life.
  std::uint64_t start_ticks = 0;  ///< Since boot. With the pid it names a process for good.
  std::string name;               ///< Its main thread's.

  /// Its program is the one that it was born with: no exec since its fork.
  [[nodiscard]] bool is_forked_only() const;
  /// Its main thread has ended or is about to. Others may go on.
  [[nodiscard]] bool is_ending() const;
};

std::optional<ProcessStat> read_process_stat(pid_t pid);

/// From /proc/PID/status.
struct ProcessStatus {
  pid_t parent = 0;
  uid_t real_user = 0;
  uid_t effective_user = 0;
  gid_t real_group = 0;
  gid_t effective_group = 0;
  std::uint64_t capabilities = 0;  ///< CapEff.
  /// What it is called in each pid namespace that it is in, from ours inwards. The last one is what
  /// it calls itself; one alone: it is in our namespace.
  std::vector<pid_t> pids;
};

/// None when it is gone, also where somebody has waited for it while this was read.
std::optional<ProcessStatus> read_process_status(pid_t pid);
/// @param text what /proc/PID/status said.
std::optional<ProcessStatus> parse_process_status(const std::string& text, pid_t pid);

/// ProcessStatus::pids alone; cheaper for a process of our own namespace. Empty when it is gone.
std::vector<pid_t> read_pids(pid_t pid);

/// Whether two processes have one address space, as after vfork. None where the kernel does not
/// say (kcmp(2) is not there, or not allowed), or one of them is gone.
std::optional<bool> share_memory(pid_t one, pid_t other);

}  // namespace tidemark
