// Works from a "go" to the next, which come on stdin; the test ends the recorder in between.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {
unsigned work(int rounds) {
  unsigned sum = 0;
  std::vector<char*> blocks(1000);
  for (int i = 0; i < rounds; ++i) {
    char*& block = blocks[static_cast<std::size_t>(i) % blocks.size()];
    std::free(block);
    block = static_cast<char*>(std::malloc(4321));
    block[0] = static_cast<char>(i);
    sum = sum * 31 + static_cast<unsigned char>(block[0]);
  }
  for (char* block : blocks)
    std::free(block);
  return sum;
}

void say(const char* what, unsigned number) {
  std::printf("%s %u\n", what, number);
  std::fflush(stdout);
}
}  // namespace

int main() {
  char line[16];
  say("pid", static_cast<unsigned>(getpid()));
  say("before", work(100000));
  if (std::fgets(line, sizeof line, stdin) == nullptr)
    return 1;
  unsigned other = 0;
  std::thread second([&] { other = work(1000000); });
  const unsigned own = work(1000000);
  second.join();
  say("after", own + other);
  return 3;
}
