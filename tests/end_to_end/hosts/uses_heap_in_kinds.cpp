// 1,000 temporary allocations, 300 that are freed later, 7 that never are, and 40 of a thread.
#include <cstdlib>
#include <thread>

[[gnu::noinline]] void make_temporaries() {
  for (int i = 0; i < 1000; ++i) {
    void* volatile block = std::malloc(3101);
    std::free(block);
  }
}

void* g_later[300];

[[gnu::noinline]] void free_later() {
  for (void*& block : g_later) {
    block = std::malloc(3103);
  }
  for (void* const block : g_later) {
    std::free(block);
  }
}

void* volatile g_lost = nullptr;

[[gnu::noinline]] void lose() {
  for (int i = 0; i < 7; ++i) {
    g_lost = std::malloc(3105);
  }
}

[[gnu::noinline]] void allocate_elsewhere() {
  void* blocks[40];
  for (void*& block : blocks) {
    block = std::malloc(3107);
  }
  for (void* const block : blocks) {
    std::free(block);
  }
}

int main() {
  make_temporaries();
  free_later();
  lose();
  std::thread(allocate_elsewhere).join();
}
