// A timer's handler leaves by siglongjmp, 300 times, out of whatever the main loop was doing: out
// of our hooks too. (Not out of malloc, which would keep its own lock.) Afterwards all works as
// before.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <sys/time.h>

namespace {
sigjmp_buf g_back;
}

int main() {
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(g_back, 1); };
  sigaction(SIGALRM, &action, nullptr);
  volatile int jumps = 0;
  if (sigsetjmp(g_back, 1) != 0)
    jumps = jumps + 1;
  if (jumps < 300) {
    const itimerval soon{{0, 0}, {0, 100}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    for (;;) {
      void* map = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      munmap(map, 4096);
    }
  }
  for (int i = 0; i < 1000; ++i) {
    void* volatile block = std::malloc(2231);
    std::free(block);
  }
  std::printf("%d jumps\n", jumps);
}
