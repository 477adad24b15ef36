/// A process's memory as counted by the kernel, read from outside the process.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace tidemark {

struct MemorySample {
  std::uint64_t rss_anon_bytes = 0;
  std::uint64_t rss_file_bytes = 0;
  std::uint64_t rss_shmem_bytes = 0;
  std::uint64_t high_water_bytes = 0;  ///< VmHWM: most resident bytes of all kinds, so far.

  bool operator==(const MemorySample&) const = default;
};

/// /proc/PID/smaps_rollup: costs more than a sample, as the kernel walks all pages.
struct MemoryRollup {
  /// Proportional: a page shared by n processes counts 1/n in each, so that memory shared by forked
  /// processes counts once over all of them.
  std::uint64_t pss_anon_bytes = 0;
  std::uint64_t pss_file_bytes = 0;
  std::uint64_t pss_shmem_bytes = 0;
  /// Anonymous pages, shared or not.
  std::uint64_t anon_bytes = 0;
  /// Those that no other process has: lower and upper bound.
  std::uint64_t own_anon_bytes = 0;
  std::uint64_t own_anon_at_most_bytes = 0;
  std::uint64_t lazily_freed_bytes = 0;  ///< Freed by MADV_FREE but still resident.
};

/// @return empty if there is no such process or access is denied.
std::optional<MemoryRollup> read_memory_rollup(pid_t pid);

/// One process image under observation. Keeps two descriptors open, so that a sample costs two
/// reads and never belongs to a later process with the same pid.
///
/// The kernel counts resident pages per CPU; its sums may be off by some dozen pages per thread.
class ProcessMemory {
 public:
  /// @return empty when there is no such process.
  static std::optional<ProcessMemory> open(pid_t pid);

  /// @return empty once the image is gone: ended (a zombie too) or replaced by an exec. Does not
  /// allocate while the main thread lives.
  [[nodiscard]] std::optional<MemorySample> read();
  /// False once none of its threads can run any more. True if unknown.
  [[nodiscard]] bool is_same_image() const;
  /// The text of all its areas, for parse_memory_areas. Empty, never partial, if access is denied,
  /// the image is gone, or there are too many areas.
  [[nodiscard]] std::string read_maps() const;

 private:
  ProcessMemory(pid_t pid, FileDescriptor status, FileDescriptor maps);
  [[nodiscard]] std::optional<MemorySample> read_status() const;

  pid_t pid_;
  FileDescriptor status_;  ///< One of its threads' status file.
  FileDescriptor maps_;    ///< Bound to the image, while `status_` follows the pid.
};

}  // namespace tidemark
