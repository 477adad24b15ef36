// Cancels 200 threads: in the middle of their allocations, and asleep; each cleans up with a block.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>
#include <unistd.h>

namespace {
std::atomic<int> g_started{0};
std::atomic<int> g_cleaned{0};

void clean(void*) {
  void* volatile block = std::malloc(3011);
  std::free(block);
  ++g_cleaned;
}

void* work(void* argument) {
  pthread_cleanup_push(clean, nullptr);
  ++g_started;
  for (;;) {
    void* volatile block = std::malloc(3012);
    std::free(block);
    if (argument != nullptr)
      pause();
    pthread_testcancel();
  }
  pthread_cleanup_pop(0);
  return nullptr;
}
}  // namespace

int main() {
  int cancelled = 0;
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, i % 2 == 0 ? nullptr : &thread);
    while (g_started <= i)
      sched_yield();
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED ? 1 : 0;
  }
  std::printf("%d cancelled, %d cleaned\n", cancelled, g_cleaned.load());
}
