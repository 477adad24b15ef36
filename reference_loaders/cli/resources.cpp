#include "reference_loaders/cli/resources.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

namespace tidemark::loaders {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t machine_available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::uint64_t kib = 0;
  for (std::string unit; meminfo >> key >> kib; std::getline(meminfo, unit)) {
    if (key == "MemAvailable:") {
      return kib * 1024;
    }
  }
  return kNoLimit;
}

std::uint64_t memory_max_of(const std::filesystem::path& group) {
  std::ifstream file(group / "memory.max");
  std::uint64_t bytes = 0;
  return file >> bytes ? bytes : kNoLimit;  // the file says "max" where there is no limit
}

/// The tightest limit from this process's group (cgroup v2) up to the root.
std::uint64_t group_limit_bytes() {
  std::ifstream own("/proc/self/cgroup");
  std::uint64_t limit = kNoLimit;
  for (std::string line; std::getline(own, line);) {
    if (!line.starts_with("0::/")) {
      continue;
    }
    const std::filesystem::path root = "/sys/fs/cgroup";
    for (auto group = root / line.substr(4);; group = group.parent_path()) {
      limit = std::min(limit, memory_max_of(group));
      if (group == root || !group.has_relative_path()) {
        break;
      }
    }
  }
  return limit;
}

}  // namespace

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw UsageError(
        fmt::format("the directory {} cannot be made: {}", directory.string(), error.message()));
  }
}

void require_free_disk(const std::filesystem::path& directory, std::uint64_t bytes) {
  const auto free = std::filesystem::space(directory).available;
  if (free < bytes) {
    throw UsageError(
        fmt::format("{} needs {} of free disk space, but has {}; make room, or choose a "
                    "smaller size or another directory",
                    directory.string(), format_size(bytes), format_size(free)));
  }
}

void require_free_memory(std::uint64_t bytes) {
  const std::uint64_t available = std::min(machine_available_bytes(), group_limit_bytes());
  if (available < bytes) {
    throw UsageError(
        fmt::format("this needs {} of free memory, but {} is available; close something, "
                    "or choose a smaller size",
                    format_size(bytes), format_size(available)));
  }
}

}  // namespace tidemark::loaders
