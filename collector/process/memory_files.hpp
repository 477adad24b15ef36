/// Recognises files that are memory: on tmpfs, hugetlbfs or ramfs, or without a name (memfd, SysV).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include <sys/types.h>

namespace tidemark {

class MemoryFiles {
 public:
  MemoryFiles();

  /// @param device st_dev of a file.
  /// @param pid a process that has the file open, maybe in a mount namespace of its own.
  [[nodiscard]] bool holds(std::uint64_t device, pid_t pid);

 private:
  void learn_mounts(pid_t pid);

  std::unordered_set<std::uint64_t> memory_;
  std::unordered_set<std::uint64_t> others_;
};

}  // namespace tidemark
