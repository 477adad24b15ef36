// crowd: far more runnable threads than cores, all allocating at once; blocks of 3061 bytes go from
// each thread to the next one, which frees them.
#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kThreads = 64;
constexpr int kRounds = 2'000;
std::array<std::atomic<void*>, kThreads> g_mailbox{};

void work(std::size_t self) {
  for (int i = 0; i < kRounds; ++i) {
    std::free(g_mailbox[(self + 1) % kThreads].exchange(std::malloc(3061)));
    std::free(std::malloc(3062));
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
  for (auto& block : g_mailbox)
    std::free(block.load());
}
