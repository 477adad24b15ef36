// Four threads walk a binary tree of calls, each on half a tree of its own: 2^20 leaves a thread,
// each reached by another path, and a block of 2311 bytes at every leaf. That is four times what
// the stack table holds at one time.
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

__attribute__((noinline)) void leaf() {
  void* volatile block = std::malloc(2311);
  std::free(block);
}

template <int kTree>
__attribute__((noinline)) void walk(int depth) {
  if (depth == 0) {
    leaf();
    return;
  }
  walk<kTree>(depth - 1);
  asm volatile("" ::: "memory");  // two calls, not one in a loop
  walk<kTree>(depth - 1);
  asm volatile("" ::: "memory");  // and no tail call
}

}  // namespace

int main() {
  constexpr int kDepth = 20;
  std::vector<std::thread> threads;
  threads.emplace_back(walk<0>, kDepth);
  threads.emplace_back(walk<1>, kDepth);
  threads.emplace_back(walk<2>, kDepth);
  threads.emplace_back(walk<3>, kDepth);
  for (auto& thread : threads)
    thread.join();
}
