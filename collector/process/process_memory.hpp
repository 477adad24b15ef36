/// A process's memory as the kernel counts it, looked at from outside.
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

/// /proc/PID/smaps_rollup: dearer than a sample, as the kernel walks all pages for it.
struct MemoryRollup {
  /// A page that several processes have counts in each by its part: what forked processes have in
  /// common counts once over all of them.
  std::uint64_t pss_anon_bytes = 0;
  std::uint64_t pss_file_bytes = 0;
  std::uint64_t pss_shmem_bytes = 0;
  /// Anonymous pages, whoever else has them.
  std::uint64_t anon_bytes = 0;
  /// Those of them that no other process has: at least so much, and at most.
  std::uint64_t own_anon_bytes = 0;
  std::uint64_t own_anon_at_most_bytes = 0;
  std::uint64_t lazily_freed_bytes = 0;  ///< By MADV_FREE, and still there.
};

/// @return empty when there is no such process, or when it may not be looked into.
std::optional<MemoryRollup> read_memory_rollup(pid_t pid);

/// One process image under observation: it keeps two descriptors open, so that a sample is two
/// reads and can never be of a later process with the same pid.
///
/// The kernel counts resident pages per CPU and may be off by some dozen pages per thread.
class ProcessMemory {
 public:
  /// @return empty when there is no such process.
  static std::optional<ProcessMemory> open(pid_t pid);

  /// @return empty once the image is gone: ended (a zombie too) or replaced by an exec. Does not
  /// allocate while the main thread lives.
  [[nodiscard]] std::optional<MemorySample> read();
  /// False once none of its threads can run any more. True where that cannot be told.
  [[nodiscard]] bool is_same_image() const;
  /// All of its areas, as parse_memory_areas takes them. Nothing where they may not be read, where
  /// the image is gone, and where there are too many of them: never a part.
  [[nodiscard]] std::string read_maps() const;

 private:
  ProcessMemory(pid_t pid, FileDescriptor status, FileDescriptor maps);
  [[nodiscard]] std::optional<MemorySample> read_status() const;

  pid_t pid_;
  FileDescriptor status_;  ///< Of one of its threads.
  FileDescriptor maps_;    ///< Bound to the image for good, where `status_` follows the number.
};

}  // namespace tidemark
