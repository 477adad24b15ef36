#include "collector/process/process_io.hpp"

#include "collector/process/proc_file.hpp"

#include <climits>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// Calls `visit(name, folder)` for the first `most` descriptors of a process.
/// Not std::filesystem's way, which terminates this process if memory is short.
template <typename Visit>
void visit_descriptors(pid_t pid, std::size_t most, const Visit& visit) {
  DIR* const folder = ::opendir(proc_path(pid, "fd").c_str());
  if (folder == nullptr)
    return;
  const dirent* entry = ::readdir(folder);
  for (std::size_t seen = 0; entry != nullptr && seen < most; ++seen) {
    visit(entry->d_name, ::dirfd(folder));
    entry = ::readdir(folder);
  }
  ::closedir(folder);
}

/// What a descriptor's link leads to; empty if it is longer than `most`.
std::string target_of(const char* name, int folder, std::size_t most) {
  std::string target(most, '\0');
  const ssize_t length = ::readlinkat(folder, name, target.data(), target.size());
  if (length <= 0 || static_cast<std::size_t>(length) == most)
    return {};
  target.resize(static_cast<std::size_t>(length));
  return target;
}

std::string facts_of_descriptor(pid_t pid, const char* name) {
  return read_proc(pid, (std::string("fdinfo/") + name).c_str());
}

/// The number behind `key` in the facts of a descriptor.
std::optional<std::uint64_t> number_behind(std::string_view facts,
                                           std::string_view key,
                                           int base = 10) {
  const std::size_t at = facts.find(key);
  if (at == std::string_view::npos)
    return std::nullopt;
  const char* begin = facts.data() + at + key.size();
  const char* const end = facts.data() + facts.size();
  begin = std::find_if(begin, end, [](char c) { return c != ' ' && c != '\t'; });
  std::uint64_t number = 0;
  if (std::from_chars(begin, end, number, base).ec != std::errc{})
    return std::nullopt;
  return number;
}

/// @param facts of a ring's /proc/PID/fdinfo.
bool is_idle(std::string_view facts) {
  return facts.find("\nSqHead:\t0\n") != std::string_view::npos &&
         facts.find("\nCqTail:\t0\n") != std::string_view::npos;
}

}  // namespace

std::optional<std::uint64_t> bytes_read_by(pid_t pid) {
  constexpr std::string_view kKey = "rchar: ";
  const std::string text = read_proc(pid, "io");
  std::uint64_t bytes = 0;
  if (!text.starts_with(kKey) ||
      std::from_chars(text.data() + kKey.size(), text.data() + text.size(), bytes).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  return bytes;
}

RingsOfProcess rings_of(pid_t pid, std::size_t most) {
  constexpr std::string_view kRing = "anon_inode:[io_uring]";
  RingsOfProcess rings;
  visit_descriptors(pid, most, [&](const char* name, int folder) {
    if (target_of(name, folder, 64) == kRing)
      ++(is_idle(facts_of_descriptor(pid, name)) ? rings.idle : rings.used);
  });
  return rings;
}

std::vector<OpenFile> open_files_of(pid_t pid, std::uint64_t least_bytes, std::size_t most) {
  std::vector<OpenFile> files;
  visit_descriptors(pid, most, [&](const char* name, int folder) {
    struct stat status {};
    if (::fstatat(folder, name, &status, 0) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) < least_bytes)
      return;
    const std::string facts = facts_of_descriptor(pid, name);
    const auto position = number_behind(facts, "pos:");
    const auto flags = number_behind(facts, "flags:", 8);
    if (!position || !flags || (*flags & O_ACCMODE) == O_WRONLY)
      return;
    files.push_back({.descriptor = std::atoi(name),
                     .device = status.st_dev,
                     .inode = status.st_ino,
                     .size = static_cast<std::uint64_t>(status.st_size),
                     .position = *position,
                     .path = target_of(name, folder, PATH_MAX),
                     .is_writable = (*flags & O_ACCMODE) == O_RDWR,
                     .is_unlinked = status.st_nlink == 0});
  });
  return files;
}

}  // namespace tidemark
