#include "collector/process/proc_file.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tidemark {

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

FileDescriptor open_proc(pid_t pid, const char* file) {
  return FileDescriptor(::open(proc_path(pid, file).c_str(), O_RDONLY | O_CLOEXEC));
}

std::string read_up_to(const FileDescriptor& file, std::size_t limit) {
  std::string text(limit, '\0');
  std::size_t filled = 0;
  // Several reads: the kernel gives at most a page at a time when the text crosses one.
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

std::string read_proc(pid_t pid, const char* file, std::size_t limit) {
  const FileDescriptor opened = open_proc(pid, file);
  return opened.is_open() ? read_up_to(opened, limit) : std::string();
}

}  // namespace tidemark
