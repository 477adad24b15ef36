#include "collector/process/memory_files.hpp"

#include "collector/os/file_descriptor.hpp"
#include "collector/process/proc_file.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace tidemark {
namespace {

constexpr std::size_t kMaxMountBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxOthers = 4096;

bool is_memory(std::string_view filesystem) {
  return filesystem == "tmpfs" || filesystem == "ramfs" || filesystem == "hugetlbfs" ||
         filesystem == "devtmpfs";
}

std::string_view word_of(std::string_view line, std::size_t number) {
  for (; number > 0; --number) {
    line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  }
  return line.substr(0, line.find(' '));
}

/// "0:24"
std::uint64_t device_of(std::string_view text) {
  unsigned major_number = 0;
  unsigned minor_number = 0;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return 0;
  }
  std::from_chars(text.data(), text.data() + colon, major_number);
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), minor_number);
  return makedev(major_number, minor_number);
}

}  // namespace

/// The kernel's internal mounts are in no list: creates files on them to learn their devices.
MemoryFiles::MemoryFiles() {
  for (const unsigned flags : {unsigned{MFD_CLOEXEC}, unsigned{MFD_CLOEXEC | MFD_HUGETLB}}) {
    const FileDescriptor file(memfd_create("tidemark", flags));
    struct stat status {};
    if (file.is_open() && fstat(file.number(), &status) == 0) {
      memory_.insert(status.st_dev);
    }
  }
}

bool MemoryFiles::holds(std::uint64_t device, pid_t pid) {
  if (!memory_.contains(device) && !others_.contains(device)) {
    learn_mounts(pid);
    if (!memory_.contains(device)) {
      // Hosts name the devices, so made-up ones must not accumulate.
      if (others_.size() >= kMaxOthers) {
        others_.clear();
      }
      others_.insert(device);
    }
  }
  return memory_.contains(device);
}

/// proc(5): "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw"
void MemoryFiles::learn_mounts(pid_t pid) {
  const std::string mounts = read_proc(pid, "mountinfo", kMaxMountBytes);
  std::string_view rest = mounts;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto separator = line.find(" - ");
    if (separator == std::string_view::npos) {
      continue;
    }
    const bool is_held = is_memory(word_of(line.substr(separator + 3), 0));
    (is_held ? memory_ : others_).insert(device_of(word_of(line, 2)));
  }
}

}  // namespace tidemark
