// threads_end_in_turn: eight threads that live at one time and end one after another, while main
// lives on. Thread i allocates 3340 + i bytes as its last act. Main allocates 3310 + i bytes before
// it lets thread i go, and 3320 + i bytes once the recorder must have looked twice since it was
// joined.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::size_t kThreads = 8;
std::atomic<std::size_t> g_begun{0};
std::atomic<std::size_t> g_turn{0};

void allocate(std::size_t bytes) {
  void* volatile block = std::malloc(bytes);
  std::free(block);
}

void work(std::size_t self) {
  allocate(3330 + self);
  ++g_begun;
  while (g_turn.load() != self + 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  allocate(3340 + self);
}

/// More records than a ring holds and one pass of the recorder takes: another one has begun.
void fill_rings() {
  for (int i = 0; i < 10'000; ++i)
    allocate(3309);
}

}  // namespace

int main() {
  std::array<std::thread, kThreads> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads[i] = std::thread(work, i);
    while (g_begun.load() != i + 1)
      std::this_thread::yield();
  }
  for (std::size_t i = 0; i < kThreads; ++i) {
    allocate(3310 + i);
    g_turn = i + 1;
    threads[i].join();
    for (int looks = 0; looks < 2; ++looks) {
      fill_rings();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    allocate(3320 + i);
  }
}
