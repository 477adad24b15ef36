#include "collector/process/open_files.hpp"

#include "collector/process/proc_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// Of /proc/PID/fdinfo/N: `pos:` in tens, `flags:` in eights.
struct Descriptor {
  std::uint64_t position = 0;
  std::uint64_t flags = 0;
};

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key, int base) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return end.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

std::optional<Descriptor> descriptor_of(pid_t pid, const char* name) {
  const std::string text = read_proc(pid, (std::string("fdinfo/") + name).c_str(), 256);
  const auto position = number_behind(text, "pos:", 10);
  const auto flags = number_behind(text, "flags:", 8);
  return position && flags ? std::optional(Descriptor{*position, *flags}) : std::nullopt;
}

std::optional<OpenFile> open_file(pid_t pid,
                                  int folder,
                                  const char* name,
                                  std::uint64_t least_bytes) {
  struct stat status {};
  if (::fstatat(folder, name, &status, 0) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) < least_bytes)
    return std::nullopt;
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlinkat(folder, name, path.data(), path.size());
  const auto descriptor = descriptor_of(pid, name);
  if (length <= 0 || !descriptor || (descriptor->flags & O_ACCMODE) != O_RDONLY)
    return std::nullopt;
  return OpenFile{.path = std::string(path.data(), static_cast<std::size_t>(length)),
                  .device = status.st_dev,
                  .inode = status.st_ino,
                  .size = static_cast<std::uint64_t>(status.st_size),
                  .position = descriptor->position,
                  .is_unlinked = status.st_nlink == 0};
}

void add(OpenFile file, std::vector<OpenFile>& files) {
  const auto known = std::ranges::find_if(files, [&](const OpenFile& other) {
    return other.device == file.device && other.inode == file.inode;
  });
  if (known == files.end())
    files.push_back(std::move(file));
  else
    known->position = std::max(known->position, file.position);
}

}  // namespace

std::vector<OpenFile> files_open_to_read(pid_t pid, std::uint64_t least_bytes, std::size_t most) {
  std::vector<OpenFile> files;
  // Not std::filesystem's: it ends the process where memory is short.
  DIR* const folder = ::opendir(proc_path(pid, "fd").c_str());
  if (folder == nullptr)
    return files;
  const dirent* entry = ::readdir(folder);
  for (std::size_t seen = 0; entry != nullptr && seen < most; ++seen) {
    if (auto file = open_file(pid, ::dirfd(folder), entry->d_name, least_bytes))
      add(std::move(*file), files);
    entry = ::readdir(folder);
  }
  ::closedir(folder);
  return files;
}

}  // namespace tidemark
