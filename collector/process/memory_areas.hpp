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

/// Ordered by address. Empty if there is no such process or access is denied.
std::vector<MemoryArea> read_memory_areas(pid_t pid);
std::vector<MemoryArea> parse_memory_areas(std::string_view maps);

/// Whether `behind` may begin with zeroed data (.bss) of the file that `data` is of: the loader
/// puts it right after the file's last data.
bool has_zeroed_data(const MemoryArea& data, const MemoryArea& behind);

/// Memory of a privately mapped file: an area of it, or its zeroed data.
struct FileArea {
  PageRange pages;
  std::string path;
};
/// @param ends where the files' memory ends according to the loader: an area that the kernel shows
/// as one may continue with unrelated memory.
std::vector<FileArea> private_file_areas(const std::vector<MemoryArea>& areas,
                                         const std::set<std::uint64_t>& ends);

}  // namespace tidemark
