// handles_in_a_read PATH: reads all of a file by one call, during which a signal comes. Its handler
// runs when the kernel has read all, before the call returns to whoever made it; it prints "ready"
// and waits for a line of input.
#include <csignal>
#include <cstdio>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

void handle(int) {
  static_cast<void>(write(STDOUT_FILENO, "ready\n", 6));
  char line[64];
  static_cast<void>(read(STDIN_FILENO, line, sizeof line));
}

/// Interrupts the reader once half of the buffer is there.
void interrupt(pthread_t reader, char* middle) {
  unsigned char is_there = 0;
  do {
    mincore(middle, 1, &is_there);
  } while ((is_there & 1U) == 0);
  pthread_kill(reader, SIGUSR1);
}

}  // namespace

int main(int, char** argv) {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  const int fd = open(argv[1], O_RDONLY);
  struct stat status {};
  fstat(fd, &status);
  const auto size = static_cast<std::size_t>(status.st_size);
  constexpr std::size_t kPage = 4096;
  auto* const into = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(into, size, MADV_NOHUGEPAGE);
  std::thread other(interrupt, pthread_self(), into + size / 2 / kPage * kPage);
  const ssize_t got = read(fd, into, size);
  other.join();
  std::printf("%zd\n", got);
}
