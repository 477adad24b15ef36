#include "collector/process/page_map.hpp"

#include "collector/process/proc_file.hpp"
#include "collector/process/process_tree.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

// An entry of the file: Documentation/admin-guide/mm/pagemap.rst.
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63U;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62U;
constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61U;  // or shared

// The same by ioctl, since Linux 6.7, which skips empty ranges: linux/fs.h.
struct ScannedRegion {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t categories;
};
struct ScanArguments {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t walked_to;
  std::uint64_t regions;
  std::uint64_t region_count;
  std::uint64_t max_pages;
  std::uint64_t inverted;
  std::uint64_t all_of;
  std::uint64_t any_of;
  std::uint64_t returned;
};
constexpr unsigned long kScan = _IOWR('f', 16, ScanArguments);
constexpr std::uint64_t kScanFile = 1U << 2U;
constexpr std::uint64_t kScanPresent = 1U << 3U;
constexpr std::uint64_t kScanSwapped = 1U << 4U;
constexpr std::uint64_t kScanZero = 1U << 5U;

void append(std::vector<PageRange>& ranges, const PageRange& range) {
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

}  // namespace

PageMap::PageMap(pid_t pid, Way way)
    : file_(open_proc(thread_with_memory(pid), "pagemap")), way_(way) {
  if (file_.is_open()) {
    access_ = Access::kOpen;
  } else {
    access_ = errno == EACCES || errno == EPERM ? Access::kDenied : Access::kGone;
  }
}

std::vector<PageRange> PageMap::present(std::uint64_t begin, std::uint64_t end, Which which) const {
  std::vector<PageRange> ranges;
  if (way_ == Way::kRead || !scan(begin, end, which, ranges)) {
    ranges.clear();
    read(begin, end, which, ranges);
  }
  return ranges;
}

bool PageMap::are_in_memory(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t first = begin / kPageBytes * kPageBytes;
  const std::uint64_t last = (end + kPageBytes - 1) / kPageBytes * kPageBytes;
  const auto ranges = present(first, last, Which::kInMemory);
  return ranges.size() == 1 && ranges[0].begin == first && ranges[0].end == last;
}

std::uint64_t PageMap::present_bytes(std::uint64_t begin, std::uint64_t end, Which which) const {
  std::uint64_t bytes = 0;
  for (const PageRange& range : present(begin, end, which)) {
    bytes += range.bytes();
  }
  return bytes;
}

/// @return false if the kernel is older.
bool PageMap::scan(std::uint64_t begin,
                   std::uint64_t end,
                   Which which,
                   std::vector<PageRange>& ranges) const {
  std::array<ScannedRegion, 512> found;
  ScanArguments arguments{};
  arguments.size = sizeof arguments;
  arguments.regions = reinterpret_cast<std::uint64_t>(found.data());
  arguments.region_count = found.size();
  arguments.any_of = kScanPresent | (which == Which::kInMemory ? std::uint64_t{0} : kScanSwapped);
  arguments.returned = kScanPresent;
  arguments.all_of = arguments.inverted =
      kScanZero | (which == Which::kPrivate ? kScanFile : std::uint64_t{0});
  while (begin < end) {
    arguments.begin = begin;
    arguments.end = end;
    const int count = ::ioctl(file_.number(), kScan, &arguments);
    if (count < 0) {
      return errno != ENOTTY && errno != EINVAL && errno != ENOSYS;
    }
    for (int i = 0; i < count; ++i) {
      append(ranges,
             {found[static_cast<std::size_t>(i)].begin, found[static_cast<std::size_t>(i)].end});
    }
    begin = arguments.walked_to > begin ? arguments.walked_to : end;
  }
  return true;
}

void PageMap::read(std::uint64_t begin,
                   std::uint64_t end,
                   Which which,
                   std::vector<PageRange>& ranges) const {
  std::array<std::uint64_t, 8192> entries;  // filled by each read
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t wanted = std::min<std::uint64_t>((end - at) / kPageBytes, entries.size());
    const ssize_t bytes = ::pread(file_.number(), entries.data(), wanted * sizeof(std::uint64_t),
                                  static_cast<off_t>(at / kPageBytes * sizeof(std::uint64_t)));
    if (bytes <= 0) {
      return;
    }
    const std::size_t count = static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < count; ++i, at += kPageBytes) {
      const std::uint64_t counts = which == Which::kInMemory ? kPresent : kPresent | kSwapped;
      const bool is_there = (entries[i] & counts) != 0;
      if (is_there && (which != Which::kPrivate || (entries[i] & kOfFile) == 0)) {
        append(ranges, {at, at + kPageBytes});
      }
    }
  }
}

}  // namespace tidemark
