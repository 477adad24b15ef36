/// Which pages of a process are in memory, from /proc/PID/pagemap.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/os/page_range.hpp"

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// For one process image. Holds a descriptor open: make one for a look, then destroy it.
class PageMap {
 public:
  enum class Access : std::uint8_t {
    kOpen,
    kDenied,  ///< Access is denied.
    kGone,    ///< There is no such process, or its image is gone.
  };
  enum class Which : std::uint8_t {
    kAll,
    kPrivate,   ///< No file pages: of a private file mapping, only written pages.
    kInMemory,  ///< Not those in swap.
  };
  /// How pages are queried; kScan falls back to reading if the kernel has no PAGEMAP_SCAN.
  enum class Way : std::uint8_t { kScan, kRead };
  explicit PageMap(pid_t pid, Way way = Way::kScan);

  [[nodiscard]] Access access() const { return access_; }

  /// The pages of [begin, end), both page-aligned, that are in memory or in swap, as ranges in
  /// order. Before Linux 6.7 this reads 8 bytes for each page of the range, and includes pages that
  /// were only read and map the kernel's zero page. Empty unless access() is kOpen.
  [[nodiscard]] std::vector<PageRange> present(std::uint64_t begin,
                                               std::uint64_t end,
                                               Which which = Which::kAll) const;
  /// Whether all pages that [begin, end) touches are in memory; need not be page-aligned.
  [[nodiscard]] bool are_in_memory(std::uint64_t begin, std::uint64_t end) const;
  /// Number of bytes of `present`.
  [[nodiscard]] std::uint64_t present_bytes(std::uint64_t begin,
                                            std::uint64_t end,
                                            Which which = Which::kAll) const;

 private:
  bool scan(std::uint64_t begin,
            std::uint64_t end,
            Which which,
            std::vector<PageRange>& ranges) const;
  void read(std::uint64_t begin,
            std::uint64_t end,
            Which which,
            std::vector<PageRange>& ranges) const;

  FileDescriptor file_;
  Access access_;
  Way way_;
};

}  // namespace tidemark
