#include "collector/process/area_file_opener.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// How the kernel's list identifies `file`, found by mapping it ourselves: exact on every file
/// system.
AreaFile name_in_list(const FileDescriptor& file) {
  constexpr std::size_t kBytes = 4096;
  void* const mapped = ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE, file.number(), 0);
  if (mapped == MAP_FAILED)
    return {};
  const auto address = reinterpret_cast<std::uint64_t>(mapped);
  const std::vector<MemoryArea> areas = read_memory_areas(::getpid());
  ::munmap(mapped, kBytes);
  const auto found = std::ranges::find_if(areas, [&](const MemoryArea& area) {
    return area.pages.begin <= address && address < area.pages.end;
  });
  return found == areas.end() ? AreaFile{} : found->file;
}

bool is_file(const FileDescriptor& opened, const AreaFile& file) {
  struct stat status {};
  if (::fstat(opened.number(), &status) != 0)
    return false;
  return (status.st_dev == file.device && status.st_ino == file.inode) ||
         name_in_list(opened) == file;
}

}  // namespace

FileDescriptor open_file_at(const std::string& path, const AreaFile& file) {
  FileDescriptor opened = open_regular_file(path);
  return opened.is_open() && is_file(opened, file) ? std::move(opened) : FileDescriptor();
}

FileDescriptor open_area_file(pid_t pid, const MemoryArea& area) {
  FileDescriptor opened = open_regular_file(
      fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, area.pages.begin, area.pages.end));
  for (const std::string& path : {area.name, fmt::format("/proc/{}/root{}", pid, area.name)}) {
    if (!opened.is_open())
      opened = open_file_at(path, area.file);
  }
  return opened;
}

}  // namespace tidemark
