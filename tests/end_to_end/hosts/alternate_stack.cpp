// A handler on an alternate stack of 16 KiB allocates 500 times; once it runs because the stack
// overflowed.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {
sigjmp_buf g_back;

void allocate(int) {
  void* volatile block = std::malloc(2241);
  std::free(block);
}

void overflowed(int) {
  void* volatile block = std::malloc(2242);
  std::free(block);
  siglongjmp(g_back, 1);
}

int deeper(volatile char* above) {
  volatile char frame[1000];
  frame[0] = above[0];
  if (frame[0] == 0)  // never: so that the compiler does not object
    return 0;
  return deeper(frame) + frame[0];
}
}  // namespace

int main() {
  static char stack[16384];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = allocate;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = overflowed;
  sigaction(SIGSEGV, &action, nullptr);
  for (int i = 0; i < 500; ++i)
    raise(SIGUSR1);
  volatile char first = 1;
  if (sigsetjmp(g_back, 1) == 0)
    return deeper(&first);
  std::puts("back");
}
