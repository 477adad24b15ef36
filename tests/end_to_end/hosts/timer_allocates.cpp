// A timer's handler allocates at a high rate while the main loop does; both count, and say how
// often. The loop holds the signal back around its own calls, as malloc is not to be entered twice.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/time.h>

namespace {
volatile sig_atomic_t g_ticks = 0;

void at_tick(int) {
  void* volatile block = std::malloc(2221);
  std::free(block);
  g_ticks = g_ticks + 1;
}
}  // namespace

int main() {
  std::signal(SIGALRM, at_tick);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  long loops = 0;
  while (g_ticks < 2000) {
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm, nullptr);
    void* volatile block = std::malloc(2222);
    std::free(block);
    ++loops;
    sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  std::printf("%d %ld\n", static_cast<int>(g_ticks), loops);
}
