#include "collector/process/shared_segments.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>

#include <sys/stat.h>

namespace tidemark {
namespace {

std::optional<std::uint64_t> ipc_namespace_at(const std::string& link) {
  struct stat status {};
  return ::stat(link.c_str(), &status) == 0 ? std::optional<std::uint64_t>(status.st_ino)
                                            : std::nullopt;
}

std::uint64_t own_ipc_namespace() {
  static const std::uint64_t own = ipc_namespace_at("/proc/self/ns/ipc").value_or(0);
  return own;
}

}  // namespace

SegmentName name_segment(pid_t pid, int number) {
  const auto its = pid == 0 ? std::nullopt : ipc_namespace_at(fmt::format("/proc/{}/ns/ipc", pid));
  return {its.value_or(own_ipc_namespace()), number};
}

/// proc(5): key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
std::optional<SharedSegment> find_segment(const SegmentName& name) {
  if (name.ipc_namespace != own_ipc_namespace())
    return std::nullopt;
  std::ifstream list("/proc/sysvipc/shm");
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::string skipped;
    int number = -1;
    SharedSegment segment;
    std::uint64_t resident = 0;
    std::uint64_t swapped = 0;
    fields >> skipped >> number >> skipped >> segment.bytes;
    for (int i = 0; i < 10; ++i) {
      fields >> skipped;
    }
    if (fields >> resident >> swapped && number == name.number) {
      segment.held = resident + swapped;
      return segment;
    }
  }
  return std::nullopt;
}

}  // namespace tidemark
