// 100,000 exceptions, each through 20 frames that allocate and clean up behind themselves.
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {
int throw_from(int depth) {
  const auto held = std::make_unique<char[]>(2271);
  if (depth == 0)
    throw std::runtime_error("far below");
  return throw_from(depth - 1) + held[0];
}
}  // namespace

int main() {
  int caught = 0;
  for (int i = 0; i < 100000; ++i) {
    try {
      caught += throw_from(i % 20);
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  std::printf("%d\n", caught);
}
