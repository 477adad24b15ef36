// many_threads COUNT: threads that come and go, ten at a time; each makes ten blocks of 3001 bytes.
#include <cstdlib>
#include <thread>
#include <vector>

namespace {
void work() {
  for (int i = 0; i < 10; ++i) {
    void* volatile block = std::malloc(3001);
    std::free(block);
  }
}
}  // namespace

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  for (int i = 0; i < count; i += 10) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 10; ++k)
      threads.emplace_back(work);
    for (std::thread& thread : threads)
      thread.join();
  }
}
