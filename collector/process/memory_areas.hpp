/// The areas of a process's address space, as the kernel lists them: /proc/PID/maps.
#pragma once

#include "collector/os/area_file.hpp"
#include "collector/os/page_range.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace tidemark {

struct MemoryArea {
  PageRange pages;
  AreaFile file;
  bool is_private = false;
  bool is_accessible = false;  ///< In any way.
  bool is_writable = false;
  bool is_executable = false;
  /// A path, "[heap]" and its kin, or nothing.
  std::string name;

  [[nodiscard]] bool is_of_file() const { return name.starts_with('/'); }
};

/// In the order of addresses. None when there is no such process, or when it may not be looked
/// into.
std::vector<MemoryArea> read_memory_areas(pid_t pid);
std::vector<MemoryArea> parse_memory_areas(std::string_view maps);

/// The memory of a file that was mapped privately: an area of it, or the zeroed data that the
/// loader has put right behind one (.bss).
struct FileArea {
  PageRange pages;
  std::string path;
};
/// @param ends where the files' memory ends, by the loader: what the kernel shows as one area may
/// go on with something else behind it.
std::vector<FileArea> private_file_areas(const std::vector<MemoryArea>& areas,
                                         const std::set<std::uint64_t>& ends);

}  // namespace tidemark
