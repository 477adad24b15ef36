#include "collector/process/proc_file.hpp"

#include <algorithm>

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
  constexpr std::size_t kStep = 4096;  // the kernel gives about a page at a time
  std::string text;
  std::size_t filled = 0;
  for (ssize_t got = 1; got > 0 && filled < limit;) {
    text.resize(std::min(limit, filled + kStep));
    got = ::read(file.number(), text.data() + filled, text.size() - filled);
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  text.resize(filled);
  return text;
}

std::string read_proc(pid_t pid, const char* file, std::size_t limit) {
  const FileDescriptor opened = open_proc(pid, file);
  return opened.is_open() ? read_up_to(opened, limit) : std::string();
}

}  // namespace tidemark
