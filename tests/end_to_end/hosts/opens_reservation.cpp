// Reserves 1 TiB of address space, opens 1 MiB of it, closes half of that again.
#include <cstdio>

#include <sys/mman.h>

int main() {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  char* space =
      static_cast<char*>(mmap(nullptr, kMiB << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::printf("%d\n", mprotect(space + 5 * kMiB, kMiB, PROT_READ | PROT_WRITE));
  space[5 * kMiB] = 1;
  mprotect(space + 5 * kMiB, kMiB, PROT_READ);  // still open
  mprotect(space + 5 * kMiB, kMiB / 2, PROT_NONE);
  munmap(space, kMiB << 20);
}
