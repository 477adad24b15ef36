// uses_scratch_file HOW PATH: a file of 4 MiB that the program writes, and reads again.
//   written    under PATH
//   reopened   under PATH, made by mkstemp, and opened again for reading alone
//   tmpfile    without a name, by O_TMPFILE, in the folder PATH
//   unlinked   PATH, gone before it is read by another descriptor
//   memory     of memfd_create
//   untouched  PATH, which is there: opened for reading and writing, and read alone
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {
constexpr std::size_t kBytes = 4 << 20;
char g_buffer[kBytes];
char g_made[4096];

int open_scratch(const std::string& how, const char* path) {
  if (how == "tmpfile")
    return open(path, O_TMPFILE | O_RDWR, 0600);
  if (how == "memory")
    return memfd_create("weights", 0);
  if (how == "reopened") {
    std::snprintf(g_made, sizeof g_made, "%s.XXXXXX", path);
    return mkstemp(g_made);
  }
  if (how == "untouched")
    return open(path, O_RDWR);
  return open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
}
}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  int fd = open_scratch(how, arguments[2]);
  if (fd < 0)
    return 1;
  std::memset(g_buffer, 7, kBytes);
  std::memcpy(g_buffer, "GGUF", 4);
  if (how != "untouched" && write(fd, g_buffer, kBytes) != static_cast<ssize_t>(kBytes))
    return 1;
  if (how == "reopened") {
    close(fd);
    fd = open(g_made, O_RDONLY);
  }
  if (how == "unlinked") {
    const int reading = open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY);
    unlink(arguments[2]);
    close(fd);
    fd = reading;
  }
  std::printf("%zd\n", pread(fd, g_buffer, kBytes, 0));
}
