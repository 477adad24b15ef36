// Four coroutines on stacks of 16 KiB take turns, 1,000 rounds, and allocate in each.
#include <cstdio>
#include <cstdlib>

#include <ucontext.h>

namespace {
constexpr int kCoroutines = 4;
ucontext_t g_main;
ucontext_t g_coroutines[kCoroutines];
int g_rounds = 0;

void deep_in_a_coroutine(int depth) {
  if (depth > 0) {
    deep_in_a_coroutine(depth - 1);
    return;
  }
  void* volatile block = std::malloc(2251);
  std::free(block);
}

void body(int number) {
  for (;;) {
    deep_in_a_coroutine(number * 3);
    ++g_rounds;
    swapcontext(&g_coroutines[number], &g_main);
  }
}
}  // namespace

int main() {
  static char stacks[kCoroutines][16384];
  for (int i = 0; i < kCoroutines; ++i) {
    getcontext(&g_coroutines[i]);
    g_coroutines[i].uc_stack.ss_sp = stacks[i];
    g_coroutines[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&g_coroutines[i], reinterpret_cast<void (*)()>(body), 1, i);
  }
  for (int round = 0; round < 1000; ++round)
    for (ucontext_t& coroutine : g_coroutines)
      swapcontext(&g_main, &coroutine);
  std::printf("%d\n", g_rounds);
}
