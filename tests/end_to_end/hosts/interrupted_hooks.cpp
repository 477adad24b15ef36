// A timer interrupts the main loop wherever it is, in the middle of a hook too, and its handler
// records by calls that are safe in a handler: it maps and unmaps. Both count, and say how often.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <sys/time.h>

namespace {
volatile sig_atomic_t g_ticks = 0;

void at_tick(int) {
  void* map = mmap(nullptr, 12288, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(map, 12288);
  g_ticks = g_ticks + 1;
}
}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = at_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  long loops = 0;
  for (; g_ticks < 3000; ++loops) {
    void* volatile block = std::malloc(2223);
    block = std::realloc(block, 2224);
    std::free(block);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  std::printf("%d %ld\n", static_cast<int>(g_ticks), loops);
}
