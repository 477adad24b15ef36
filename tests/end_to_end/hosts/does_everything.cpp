// A little of everything that the preloaded object makes system calls for: threads that come and
// go, a fork, a child that becomes another program, mappings, reads, names of threads.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void work() {
  pthread_setname_np(pthread_self(), "worker");
  for (int i = 0; i < 3000; ++i)  // enough for a few looks at the ring
    std::free(std::malloc(3121));
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace

int main(int, char** argv) {
  work();
  std::thread(work).join();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();
  constexpr std::size_t kBytes = 1 << 20;
  void* mapping = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int fd = open(argv[0], O_RDONLY);
  const bool has_read = read(fd, mapping, 4096) == 4096;
  close(fd);
  munmap(mapping, kBytes);
  pid_t child = fork();
  if (child == 0) {
    work();
    std::thread(work).join();
    _exit(5);
  }
  const int forked = status_of(child);
  child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 6", nullptr);
    _exit(99);
  }
  const int started = status_of(child);
  std::printf("%d %d %d\n", has_read ? 1 : 0, forked, started);
  return forked + started;
}
