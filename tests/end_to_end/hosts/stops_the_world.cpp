// stops_the_world: as a garbage collector does it, the main thread stops all others by a signal,
// wherever they are, and allocates far more than a ring holds before it lets them go on. Workers
// make blocks of 3051 bytes, the main thread 400,000 of 3052. Prints how many blocks the workers
// made.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <pthread.h>
#include <time.h>

namespace {

constexpr int kWorkers = 3;
std::atomic<int> g_stopped{0};
std::atomic<bool> g_world_stands{false};
std::atomic<bool> g_ends{false};
std::atomic<long> g_blocks{0};

void nap() {
  const timespec moment{0, 20'000};
  nanosleep(&moment, nullptr);
}

void stand_still(int) {
  g_stopped.fetch_add(1);
  while (g_world_stands.load())
    nap();
  g_stopped.fetch_sub(1);
}

void work() {
  long blocks = 0;
  for (; !g_ends.load(); ++blocks) {
    void* volatile block = std::malloc(3051);
    std::free(block);
  }
  g_blocks.fetch_add(blocks);
}

}  // namespace

int main() {
  std::signal(SIGUSR1, stand_still);
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; ++i)
    workers.emplace_back(work);
  for (int round = 0; round < 20; ++round) {
    g_world_stands = true;
    for (std::thread& worker : workers)
      pthread_kill(worker.native_handle(), SIGUSR1);
    while (g_stopped.load() != kWorkers)
      nap();
    for (int i = 0; i < 20'000; ++i) {
      void* volatile block = std::malloc(3052);
      std::free(block);
    }
    g_world_stands = false;
    while (g_stopped.load() != 0)
      nap();
  }
  g_ends = true;
  for (std::thread& worker : workers)
    worker.join();
  std::printf("%ld\n", g_blocks.load());
}
