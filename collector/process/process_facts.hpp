/// What the kernel tells every user about a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// From /proc/PID/stat; available for a zombie, too, and for a thread by its number.
struct ProcessStat {
  pid_t parent = 0;
  char state = '?';
  std::uint64_t flags = 0;   ///< The kernel's PF_ bits.
  std::uint64_t faults = 0;  ///< Minor and major ones of all its threads, over its whole life.
  std::uint64_t reaped_faults = 0;  ///< Minor ones of children that it has waited for.
  std::uint64_t start_ticks = 0;    ///< Since boot. With the pid it names a process for good.
  std::string name;                 ///< Its main thread's.

  /// No exec since its fork.
  [[nodiscard]] bool is_forked_only() const;
  /// Its main thread has ended or is ending. Other threads may go on.
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
  /// Its pid in each pid namespace that it is in, from ours inwards. The last one is its own view;
  /// a single entry means that it is in our namespace.
  std::vector<pid_t> pids;
};

/// None if it is gone, even if it was reaped during the read.
std::optional<ProcessStatus> read_process_status(pid_t pid);
/// @param text content of /proc/PID/status.
std::optional<ProcessStatus> parse_process_status(const std::string& text, pid_t pid);

/// ProcessStatus::pids alone; cheaper for a process of our own namespace. Empty when it is gone.
std::vector<pid_t> read_pids(pid_t pid);

/// Whether two processes share one address space, as after vfork. None if the kernel does not say
/// (kcmp(2) is missing or not allowed), or one of them is gone.
std::optional<bool> share_memory(pid_t one, pid_t other);

}  // namespace tidemark
