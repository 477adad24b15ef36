// reuses_descriptors HOW PATH OTHER: opens PATH, of which it reads a byte. Then its descriptor is
// closed, or so it seems, by no call of close in this process.
//   vfork_dup, vfork_dup_file, vfork_close, vfork_close_range
//       a vfork child puts /dev/null or OTHER in its place, or closes it: for itself alone.
//   close_range, closefrom, close_range_number, dup
//       this process does, and a pipe gets the number.
// Then reads a MiB from that number. Prints whether all of that came.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = 1 << 20;

[[noreturn]] void be_vfork_child(const char* how, int fd, const char* other) {
  if (std::strcmp(how, "vfork_close") == 0)
    close(fd);
  else if (std::strcmp(how, "vfork_close_range") == 0)
    close_range(static_cast<unsigned>(fd), ~0U, 0);
  else
    dup2(open(std::strcmp(how, "vfork_dup") == 0 ? "/dev/null" : other, O_RDONLY), fd);
  _exit(0);
}

/// A pipe whose end to read from is `fd`, the lowest number that can be free then.
bool makes_pipe_of(const std::string& how, int fd, int (&ends)[2]) {
  if (how == "dup")
    return pipe(ends) == 0 && dup2(ends[0], fd) == fd;
  if (how == "close_range")
    close_range(static_cast<unsigned>(fd), static_cast<unsigned>(fd), 0);
  else if (how == "closefrom")
    closefrom(fd);
  else
    syscall(SYS_close_range, fd, ~0U, 0);
  return pipe(ends) == 0 && ends[0] == fd;
}

std::size_t read_all(int fd, char* block) {
  std::size_t done = 0;
  while (done < kBytes) {
    const ssize_t bytes = read(fd, block + done, kBytes - done);
    if (bytes <= 0)
      break;
    done += static_cast<std::size_t>(bytes);
  }
  return done;
}

void write_all(int fd, const char* block) {
  for (std::size_t done = 0; done < kBytes;)
    done += static_cast<std::size_t>(write(fd, block + done, kBytes - done));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return 2;
  const std::string how = argv[1];
  const int fd = open(argv[2], O_RDONLY);
  char first = 0;
  if (read(fd, &first, 1) != 1)
    return 1;
  char* block = static_cast<char*>(std::calloc(1, kBytes));
  if (how.starts_with("vfork")) {
    const pid_t child = vfork();
    if (child == 0)
      be_vfork_child(argv[1], fd, argv[3]);
    waitpid(child, nullptr, 0);
    std::printf("%d\n", read_all(fd, block) == kBytes);
    return 0;
  }
  int ends[2];
  if (!makes_pipe_of(how, fd, ends))
    return 1;
  char* written = static_cast<char*>(std::calloc(1, kBytes));
  std::thread writer([&] { write_all(ends[1], written); });
  std::printf("%d\n", read_all(fd, block) == kBytes);
  writer.join();
}
