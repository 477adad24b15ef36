// Forks 50 times from a process whose other threads allocate all the time. Each child allocates 100
// of 5021 bytes, on its own and in a thread; the other threads 40,000 of 5022 each, in total exact.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {
void allocate(int count, std::size_t size) {
  for (int i = 0; i < count; ++i) {
    void* volatile block = std::malloc(size);
    std::free(block);
  }
}
}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back(allocate, 40000, 5022);
  int good = 0;
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      allocate(50, 5021);
      std::thread(allocate, 50, 5021).join();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    good += status == 0 ? 1 : 0;
  }
  for (std::thread& thread : threads)
    thread.join();
  std::printf("%d children\n", good);
}
