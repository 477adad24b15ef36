#include "reference_loaders/cli/resources.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
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

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::uint64_t number = 0;
  return text >> number ? std::optional(number) : std::nullopt;
}

/// The page cache's part of what a group uses: the kernel gives it up for those who need memory.
std::uint64_t page_cache_bytes(const std::filesystem::path& group) {
  std::ifstream stat(group / "memory.stat");
  std::string key;
  std::uint64_t bytes = 0;
  std::uint64_t cache = 0;
  while (stat >> key >> bytes) {
    if (key == "active_file" || key == "inactive_file") {
      cache += bytes;
    }
  }
  return cache;
}

std::uint64_t available_bytes_of(const std::filesystem::path& group) {
  const auto limit = number_in(group / "memory.max");  // the file says "max" where there is none
  if (!limit) {
    return kNoLimit;
  }
  const std::uint64_t used = number_in(group / "memory.current").value_or(0);
  const std::uint64_t needed = used - std::min(used, page_cache_bytes(group));
  return *limit - std::min(*limit, needed);
}

/// What this process's control group has to give (cgroup v2).
std::uint64_t own_group_available_bytes() {
  std::ifstream own("/proc/self/cgroup");
  std::uint64_t available = kNoLimit;
  for (std::string line; std::getline(own, line);) {
    if (line.starts_with("0::/")) {
      available = std::min(available, group_available_bytes("/sys/fs/cgroup", line.substr(4)));
    }
  }
  return available;
}

}  // namespace

std::uint64_t group_available_bytes(const std::filesystem::path& root,
                                    const std::filesystem::path& group) {
  std::uint64_t available = available_bytes_of(root);
  std::filesystem::path level = root;
  for (const auto& name : group) {
    level /= name;
    available = std::min(available, available_bytes_of(level));
  }
  return available;
}

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
  const std::uint64_t available = std::min(machine_available_bytes(), own_group_available_bytes());
  if (available < bytes) {
    throw UsageError(
        fmt::format("this needs {} of free memory, but {} is available; close something, "
                    "or choose a smaller size",
                    format_size(bytes), format_size(available)));
  }
}

}  // namespace tidemark::loaders
