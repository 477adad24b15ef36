// The program moves its break itself: 1 MiB up by sbrk, half of it down by brk, and the rest.
#include <cstdint>

#include <unistd.h>

int main() {
  constexpr std::intptr_t kMiB = 1 << 20;
  char* begin = static_cast<char*>(sbrk(kMiB));
  begin[0] = 1;
  brk(begin + kMiB / 2);
  sbrk(-kMiB / 2);
}
