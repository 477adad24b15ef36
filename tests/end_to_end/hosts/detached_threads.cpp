// main returns while detached threads are in the middle of their allocations.
#include <atomic>
#include <cstdlib>
#include <thread>

namespace {
std::atomic<int> g_running{0};

void work() {
  for (int i = 0;; ++i) {
    void* volatile block = std::malloc(3041);
    std::free(block);
    if (i == 1000)
      ++g_running;
  }
}
}  // namespace

int main() {
  for (int i = 0; i < 4; ++i)
    std::thread(work).detach();
  while (g_running < 4)
    std::this_thread::yield();
  return 4;
}
