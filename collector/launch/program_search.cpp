#include "collector/launch/program_search.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {

std::vector<std::string> execvp_candidates(const std::string& name, const char* path_env) {
  if (name.find('/') != std::string::npos) {
    return {name};
  }
  std::vector<std::string> found;
  // The C library's default for an unset PATH.
  std::string_view rest = path_env != nullptr ? path_env : "/bin:/usr/bin";
  while (!name.empty()) {
    const auto colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    found.push_back(folder.empty() ? name : folder + '/' + name);
    if (colon == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  return found;
}

Startable look_at(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return {false, "does not exist: check the path"};
    }
    return {true, "cannot be reached (" + std::string(std::strerror(errno)) + "): check the path"};
  }
  if (S_ISDIR(file.st_mode)) {
    return {true, "is a directory: name the program inside it"};
  }
  if (!S_ISREG(file.st_mode)) {
    return {true, "is not a regular file: name a program"};
  }
  // The effective ids decide, and a filesystem mounted noexec says no as well.
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) {
    return {
        true,
        "may not be executed (permission denied): make it executable with chmod +x, or start its "
        "interpreter instead"};
  }
  return {true, {}};
}

}  // namespace tidemark
