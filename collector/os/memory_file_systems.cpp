#include "collector/os/memory_file_systems.hpp"

#include "collector/os/file_descriptor.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace tidemark {
namespace {

using Devices = std::unordered_set<std::uint64_t>;

/// A line of mountinfo(5): `36 35 0:28 / /dev/shm rw - tmpfs tmpfs rw`, with any number of words
/// before the dash.
void take_line(const std::string& line, Devices& devices) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string::npos) {
    return;
  }
  std::istringstream words(line);
  std::string mount;
  std::string parent;
  unsigned major_number = 0;
  unsigned minor_number = 0;
  char colon = 0;
  words >> mount >> parent >> major_number >> colon >> minor_number;
  const std::string type = line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  if (words && (type == "tmpfs" || type == "ramfs" || type == "hugetlbfs")) {
    devices.insert(makedev(major_number, minor_number));
  }
}

Devices find_devices() {
  Devices devices;
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    take_line(line, devices);
  }
  const FileDescriptor own(::memfd_create("tidemark", MFD_CLOEXEC));
  struct stat status {};
  if (own.is_open() && ::fstat(own.number(), &status) == 0) {
    devices.insert(status.st_dev);
  }
  return devices;
}

}  // namespace

bool MemoryFileSystems::has(std::uint64_t device) {
  if (!devices_) {
    devices_ = find_devices();
  }
  return devices_->contains(device);
}

}  // namespace tidemark
