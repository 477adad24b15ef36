// Threads that allocate while they end: thread_local destructors and pthread_key destructors in all
// of libc's rounds. 300 threads make 300 of 3021 and 1200 of 3022 bytes.
#include <cstdlib>
#include <thread>

#include <pthread.h>

namespace {
pthread_key_t g_key;

struct AllocatesAtEnd {
  int touched = 0;
  ~AllocatesAtEnd() {
    void* volatile block = std::malloc(3021);
    std::free(block);
  }
};
thread_local AllocatesAtEnd t_object;

void at_end(void* round) {
  void* volatile block = std::malloc(3022);
  std::free(block);
  const auto count = reinterpret_cast<std::size_t>(round);
  if (count < 4)
    pthread_setspecific(g_key, reinterpret_cast<void*>(count + 1));
}
}  // namespace

int main() {
  pthread_key_create(&g_key, at_end);
  for (int i = 0; i < 300; ++i) {
    std::thread([] {
      t_object.touched = 1;
      pthread_setspecific(g_key, reinterpret_cast<void*>(1));
    }).join();
  }
}
