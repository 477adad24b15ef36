#include "collector/os/file_descriptor.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

bool is_regular(const struct stat& file) {
  if (S_ISREG(file.st_mode)) {
    return true;
  }
  errno = S_ISDIR(file.st_mode) ? EISDIR : EINVAL;
  return false;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (is_open()) {
    ::close(number_);
  }
}

FileDescriptor unless_among_the_last(FileDescriptor file) {
  constexpr rlim_t kLast = 4;  // A folder and a file in it, twice.
  rlimit limit{};
  // The kernel gives the lowest number that is free.
  if (file.is_open() && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
      static_cast<rlim_t>(file.number()) + kLast >= limit.rlim_cur) {
    return {};
  }
  return file;
}

FileDescriptor open_regular_file(const std::string& path) {
  struct stat file {};
  // Checked before opening, because opening some devices has side effects.
  if (::stat(path.c_str(), &file) != 0 || !is_regular(file)) {
    return {};
  }
  FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  // Checked again afterwards: the name may refer to another file by then.
  if (opened.is_open() && (::fstat(opened.number(), &file) != 0 || !is_regular(file))) {
    return {};
  }
  return opened;
}

}  // namespace tidemark
