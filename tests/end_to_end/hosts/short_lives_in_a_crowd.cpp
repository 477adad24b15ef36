// short_lives_in_a_crowd: processes with thousands of mappings, which take long to look at, and
// meanwhile one after another that reserves 256 MiB, touches 16 of it and is killed.
#include <csignal>
#include <cstddef>
#include <vector>

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCrowd = 32;
constexpr int kShortLives = 12;
constexpr int kLifeMs = 100;
constexpr int kLookedAtMs = 500;

void* map(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// Neighbours of different protection stay two mappings.
[[noreturn]] void stand_about(int told) {
  constexpr std::size_t kMappings = 4096;
  constexpr std::size_t kPage = 4096;
  char* pages = static_cast<char*>(map(kMappings * kPage));
  for (std::size_t i = 0; i < kMappings; ++i) {
    pages[i * kPage] = 1;
    if (i % 2 == 0)
      mprotect(pages + i * kPage, kPage, PROT_READ);
  }
  close(told);
  while (true)
    pause();
}

[[noreturn]] void live_shortly() {
  // By stores of its own: no call tells of them.
  volatile char* const bytes = static_cast<char*>(map(std::size_t{256} << 20U));
  for (std::size_t at = 0; at < std::size_t{16} << 20U; at += 4096)
    bytes[at] = 1;
  poll(nullptr, 0, kLifeMs);
  raise(SIGKILL);
  _exit(1);
}

}  // namespace

int main() {
  // At its end when the last of them stands.
  int stands[2];
  if (pipe(stands) != 0)
    return 1;
  std::vector<pid_t> crowd;
  for (int i = 0; i < kCrowd; ++i) {
    const pid_t child = fork();
    if (child == 0)
      stand_about(stands[1]);
    crowd.push_back(child);
  }
  close(stands[1]);
  char none = 0;
  while (read(stands[0], &none, 1) != 0) {
  }
  poll(nullptr, 0, kLookedAtMs);
  for (int i = 0; i < kShortLives; ++i) {
    const pid_t child = fork();
    if (child == 0)
      live_shortly();
    waitpid(child, nullptr, 0);
  }
  for (const pid_t child : crowd) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
}
