/// Which file systems lie in memory and nowhere else: tmpfs, as on /dev/shm, ramfs, hugetlbfs, and
/// the kernel's own that memfd_create's files are on.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

namespace tidemark {

class MemoryFileSystems {
 public:
  /// @param device st_dev of a file. Of one in another mount namespace it may not be known: false.
  [[nodiscard]] bool has(std::uint64_t device);

 private:
  /// Looked up where it is first asked for.
  std::optional<std::unordered_set<std::uint64_t>> devices_;
};

}  // namespace tidemark
