// read_own_bytes of process_memory.hpp. Not from /proc/PID/smaps: that walks every page of the host
// and holds its memory map locked meanwhile, which the host would feel while it loads gigabytes.
#include "collector/process_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark {
namespace {

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

/// "begin-end perms offset device inode   path" of /proc/PID/maps.
std::optional<Mapping> parse_mapping(std::string_view line) {
  Mapping mapping;
  const char* end = line.data() + line.size();
  const auto begin_parsed = std::from_chars(line.data(), end, mapping.begin, 16);
  if (begin_parsed.ec != std::errc{} || begin_parsed.ptr == end || *begin_parsed.ptr != '-') {
    return std::nullopt;
  }
  const auto end_parsed = std::from_chars(begin_parsed.ptr + 1, end, mapping.end, 16);
  return end_parsed.ec == std::errc{} ? std::optional(mapping) : std::nullopt;
}

/// Pages of the mapping that are present, by the top bit of their /proc/PID/pagemap entries.
std::uint64_t count_present_pages(int pagemap, const Mapping& mapping, std::uint64_t page_bytes) {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
  std::array<std::uint64_t, 1024> entries{};
  std::uint64_t present = 0;
  std::uint64_t page = mapping.begin / page_bytes;
  const std::uint64_t last = mapping.end / page_bytes;
  while (page < last) {
    const std::size_t wanted = std::min<std::uint64_t>(entries.size(), last - page);
    const ssize_t got = ::pread(pagemap, entries.data(), wanted * sizeof(std::uint64_t),
                                static_cast<off_t>(page * sizeof(std::uint64_t)));
    if (got < static_cast<ssize_t>(sizeof(std::uint64_t))) {
      break;
    }
    const std::size_t count = static_cast<std::size_t>(got) / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < count; ++i) {
      if ((entries[i] & kPresent) != 0) {
        ++present;
      }
    }
    page += count;
  }
  return present;
}

}  // namespace

std::optional<std::uint64_t> read_own_bytes(pid_t pid, std::string_view marker) {
  std::ifstream maps(proc_path(pid, "maps"));
  const FileDescriptor pagemap(::open(proc_path(pid, "pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  if (!maps || !pagemap.is_open()) {
    return std::nullopt;
  }
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t pages = 0;
  bool is_alive = false;
  for (std::string line; std::getline(maps, line); is_alive = true) {
    const auto mapping =
        line.find(marker) != std::string::npos ? parse_mapping(line) : std::nullopt;
    if (mapping) {
      pages += count_present_pages(pagemap.number(), *mapping, page_bytes);
    }
  }
  return is_alive ? std::optional(pages * page_bytes) : std::nullopt;
}

}  // namespace tidemark
