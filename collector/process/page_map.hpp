/// Which pages of a process are in memory: /proc/PID/pagemap, for everybody who asks.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/os/page_range.hpp"

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// Of one process image. Costs a descriptor: make one for a look, and drop it.
class PageMap {
 public:
  enum class Access : std::uint8_t {
    kOpen,
    kDenied,  ///< It may not be looked into.
    kGone,    ///< There is no such process, or no image of it any more.
  };
  enum class Which : std::uint8_t {
    kAll,
    kPrivate,   ///< Not the pages of a file: of a private mapping those that were written.
    kInMemory,  ///< Not those in swap.
  };
  /// How the pages are asked for; by reading where the kernel has no scan.
  enum class Way : std::uint8_t { kScan, kRead };
  explicit PageMap(pid_t pid, Way way = Way::kScan);

  [[nodiscard]] Access access() const { return access_; }

  /// The pages of [begin, end), both page-aligned, that are in memory or in swap, as ranges in
  /// order. Before Linux 6.7 it costs 8 bytes of reading for each page of the range, and a page
  /// that was only read, and is the kernel's page of zeros, is one of them. None unless it is open.
  [[nodiscard]] std::vector<PageRange> present(std::uint64_t begin,
                                               std::uint64_t end,
                                               Which which = Which::kAll) const;
  /// Whether all pages that [begin, end) lies in, of whatever alignment, are in memory.
  [[nodiscard]] bool are_in_memory(std::uint64_t begin, std::uint64_t end) const;
  /// How many bytes these are.
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
