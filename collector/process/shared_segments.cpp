#include "collector/process/shared_segments.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace tidemark {

/// proc(5): key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
std::optional<SharedSegment> find_segment(int id) {
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
    if (fields >> resident >> swapped && number == id) {
      segment.held = resident + swapped;
      return segment;
    }
  }
  return std::nullopt;
}

}  // namespace tidemark
