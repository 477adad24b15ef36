#include "collector/process_names.hpp"

#include "collector/file_descriptor.hpp"

#include <climits>

#include <algorithm>
#include <array>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

/// Several reads: the kernel gives at most a page at a time when the text crosses one.
std::string read_up_to(const FileDescriptor& file, std::size_t limit) {
  std::string text(limit, '\0');
  std::size_t filled = 0;
  while (filled < limit) {
    const ssize_t got = ::read(file.number(), text.data() + filled, limit - filled);
    if (got <= 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

}  // namespace

std::string read_command(pid_t pid) {
  const FileDescriptor file(::open(proc_path(pid, "cmdline").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return {};
  }
  std::string command = read_up_to(file, kCommandBytes);
  // The last argument's terminator; a program that rewrites its title may leave many.
  command.erase(command.find_last_not_of('\0') + 1);
  std::replace(command.begin(), command.end(), '\0', ' ');
  return command;
}

std::string read_executable(pid_t pid) {
  std::array<char, PATH_MAX> target{};
  const ssize_t bytes = ::readlink(proc_path(pid, "exe").c_str(), target.data(), target.size());
  if (bytes <= 0) {
    return {};
  }
  std::string path(target.data(), static_cast<std::size_t>(bytes));
  constexpr std::string_view kDeleted = " (deleted)";
  struct stat file {};
  // The kernel's note, unless a file is really called so.
  if (path.ends_with(kDeleted) && ::stat(path.c_str(), &file) != 0) {
    path.resize(path.size() - kDeleted.size());
  }
  return path;
}

}  // namespace tidemark
