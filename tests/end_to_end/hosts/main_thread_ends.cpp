// The main thread leaves by pthread_exit; another one goes on, and a third is still detached at the
// end.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <pthread.h>

namespace {
void allocate(int count, std::size_t size) {
  for (int i = 0; i < count; ++i) {
    void* volatile block = std::malloc(size);
    std::free(block);
  }
}

pthread_t g_main;

void* second(void*) {
  pthread_join(g_main, nullptr);
  allocate(1000, 3032);
  std::puts("second");
  std::exit(6);
}
}  // namespace

int main() {
  g_main = pthread_self();
  allocate(1000, 3031);
  pthread_t thread;
  pthread_create(&thread, nullptr, second, nullptr);
  pthread_exit(nullptr);
}
