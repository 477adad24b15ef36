// Compiled twice: TIDEMARK_SCENES names the table that each copy fills.
#include "tests/preload/unwind/stack_scenes.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <alloca.h>
#include <ucontext.h>

namespace tidemark::tests {
namespace {

#define TIDEMARK_SCENE [[gnu::noinline]] void

// Keeps a call from becoming a jump, and a buffer from vanishing.
void stay(const void* memory = nullptr) {
  asm volatile("" : : "r"(memory) : "memory");
}

// For callbacks that take no argument of ours. A signal handler runs on the thread that raised it.
constinit thread_local Walk* t_walk = nullptr;
constinit thread_local int t_depth = 0;

void grow_here() {
  Walk& walk = *t_walk;
  const int depth = t_depth;
  grow(walk, depth);
  t_walk = &walk;
  t_depth = depth;
  stay();
}

void leave_for_callback(Walk& walk, int depth) {
  t_walk = &walk;
  t_depth = depth;
}

TIDEMARK_SCENE plain(Walk& walk, int depth) {
  grow(walk, depth - 1);
  stay();
}

TIDEMARK_SCENE many_registers(Walk& walk, int depth) {
  std::uint64_t values[6];
  for (auto& value : values)
    value = walk.random();
  grow(walk, depth - 1);
  std::uint64_t sum = 0;
  for (const auto value : values)
    sum += value;
  stay(reinterpret_cast<const void*>(sum));
}

TIDEMARK_SCENE recursion(Walk& walk, int depth) {
  if (walk.pick(3) != 0)
    recursion(walk, depth);
  else
    grow(walk, depth - 1);
  stay();
}

TIDEMARK_SCENE variable_array(Walk& walk, int depth) {
  stay(alloca(16 + walk.pick(2000)));
  grow(walk, depth - 1);
  stay(alloca(16 + walk.pick(100)));
  grow(walk, depth - 1);
  stay();
}

TIDEMARK_SCENE aligned_locals(Walk& walk, int depth) {
  alignas(64) char buffer[192];
  stay(buffer);
  grow(walk, depth - 1);
  stay(buffer);
}

TIDEMARK_SCENE aligned_and_variable(Walk& walk, int depth) {
  alignas(64) char buffer[192];
  stay(buffer);
  stay(alloca(16 + walk.pick(500)));
  grow(walk, depth - 1);
  stay(buffer);
}

TIDEMARK_SCENE large_frame(Walk& walk, int depth) {
  char buffer[20'000];
  stay(buffer);
  grow(walk, depth - 1);
  stay(buffer);
}

TIDEMARK_SCENE stack_arguments(Walk& walk, int depth, int, int, int, int, int, int, int, long) {
  grow(walk, depth - 1);
  stay();
}
TIDEMARK_SCENE pushes_arguments(Walk& walk, int depth) {
  stack_arguments(walk, depth, 1, 2, 3, 4, 5, 6, 7, 8);
  stay();
}

TIDEMARK_SCENE sorted_by_c(Walk& walk, int depth) {
  leave_for_callback(walk, depth - 1);
  int numbers[2] = {2, 1};
  std::qsort(numbers, 2, sizeof numbers[0], [](const void* a, const void* b) {
    grow_here();
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
}

TIDEMARK_SCENE sorted_by_cpp(Walk& walk, int depth) {
  std::array<std::string, 3> words{"c", "a", "b"};
  int calls = 0;
  std::sort(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
    if (calls++ == 0)
      grow(walk, depth - 1);
    return a < b;
  });
}

TIDEMARK_SCENE functions_in_functions(Walk& walk, int depth) {
  std::function<void()> call = [&] { grow(walk, depth - 1); };
  for (std::uint32_t i = walk.pick(4); i > 0; --i) {
    call = [inner = std::move(call)] {
      inner();
      stay();
    };
  }
  call();
}

struct GrowsAtItsEnd {
  Walk& walk;
  int depth;
  ~GrowsAtItsEnd() { grow(walk, depth - 1); }
};

[[gnu::noinline]] void throws(Walk& walk, int depth) {
  const GrowsAtItsEnd in_flight{walk, depth};
  if (depth > -1000)
    throw std::runtime_error("a scene");
}

TIDEMARK_SCENE exception(Walk& walk, int depth) {
  try {
    throws(walk, depth);
  } catch (const std::exception&) {
    grow(walk, depth - 1);
  }
  stay();
}

void handle(int) {
  grow_here();
}

void raise_with(int signal, int flags) {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = flags | SA_NODEFER;
  sigaction(signal, &action, nullptr);
  std::raise(signal);
}

TIDEMARK_SCENE signal_handler(Walk& walk, int depth) {
  leave_for_callback(walk, depth - 1);
  raise_with(SIGUSR1, 0);
  stay();
}

TIDEMARK_SCENE alternate_stack(Walk& walk, int depth) {
  stack_t now{};
  sigaltstack(nullptr, &now);
  if ((now.ss_flags & SS_ONSTACK) != 0)
    return plain(walk, depth);
  const auto memory = std::make_unique_for_overwrite<char[]>(1 << 20);
  stack_t own{};
  own.ss_sp = memory.get();
  own.ss_size = 1 << 20;
  sigaltstack(&own, nullptr);
  leave_for_callback(walk, depth - 1);
  raise_with(SIGUSR2, SA_ONSTACK);
  sigaltstack(&now, nullptr);
}

TIDEMARK_SCENE left_by_longjmp(Walk& walk, int depth) {
  std::jmp_buf back;
  if (setjmp(back) == 0) {
    grow(walk, depth - 2);
    std::longjmp(back, 1);
  }
  grow(walk, depth - 1);
  stay();
}

void coroutine_body() {
  grow_here();
}

TIDEMARK_SCENE coroutine(Walk& walk, int depth) {
  constexpr std::size_t kBytes = 1 << 20;
  const auto memory = std::make_unique_for_overwrite<char[]>(kBytes);
  ucontext_t back{};
  ucontext_t other{};
  getcontext(&other);
  other.uc_stack.ss_sp = memory.get();
  other.uc_stack.ss_size = kBytes;
  other.uc_link = &back;
  leave_for_callback(walk, depth - 1);
  makecontext(&other, coroutine_body, 0);
  swapcontext(&back, &other);
}

TIDEMARK_SCENE another_thread(Walk& walk, int depth) {
  if (walk.pick(8) != 0)
    return plain(walk, depth);
  std::thread([&] { grow(walk, depth - 2); }).join();
}

}  // namespace

extern const Scene TIDEMARK_SCENES[kSceneCount] = {
    plain,          many_registers,         recursion,
    variable_array, aligned_locals,         aligned_and_variable,
    large_frame,    pushes_arguments,       sorted_by_c,
    sorted_by_cpp,  functions_in_functions, exception,
    signal_handler, alternate_stack,        left_by_longjmp,
    coroutine,      another_thread};

}  // namespace tidemark::tests
