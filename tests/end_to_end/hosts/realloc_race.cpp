// Blocks that move under realloc in one thread while others wait to be given the old address.
#include <cstdlib>
#include <thread>
#include <vector>

#include <malloc.h>

namespace {
constexpr int kThreads = 4;
constexpr int kRounds = 30000;

void work(int seed) {
  for (int i = 0; i < kRounds; ++i) {
    void* block = std::malloc(static_cast<std::size_t>(2040 + (i + seed) % 3));
    // Far larger, so that it has to move, and the old place goes to whoever comes next.
    block = std::realloc(block, static_cast<std::size_t>(90000 + i % 1000));
    if (i % 5 == 0)
      block = std::realloc(block, 2048);
    std::free(block);
  }
}
}  // namespace

int main() {
  // One arena for all, or each thread would only ever be given its own addresses again.
  mallopt(M_ARENA_MAX, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
}
