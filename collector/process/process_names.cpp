#include "collector/process/process_names.hpp"

#include "collector/process/proc_file.hpp"

#include <climits>

#include <algorithm>
#include <array>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {

std::string read_command(pid_t pid) {
  std::string command = read_proc(pid, "cmdline", kCommandBytes);
  // Removes the last argument's terminator; a program that rewrites its title may leave many.
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
  // Added by the kernel, unless a file really has that name.
  if (path.ends_with(kDeleted) && ::stat(path.c_str(), &file) != 0) {
    path.resize(path.size() - kDeleted.size());
  }
  return path;
}

}  // namespace tidemark
