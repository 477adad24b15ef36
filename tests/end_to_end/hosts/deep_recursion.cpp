// Allocates on every level of a recursion of 5,000 frames, down and up.
#include <cstdio>
#include <cstdlib>

namespace {
int descend(int depth) {
  void* volatile block = std::malloc(2261);
  const int below = depth == 0 ? 0 : descend(depth - 1);
  std::free(block);
  void* volatile other = std::malloc(2262);
  std::free(other);
  return below + 1;
}
}  // namespace

int main() {
  for (int i = 0; i < 5; ++i)
    std::printf("%d\n", descend(4999));
}
