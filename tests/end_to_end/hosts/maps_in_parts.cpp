// One mapping of 64 pages, given back in parts: middle, front, rest. A munmap that fails changes
// nothing.
#include <cstdio>

#include <sys/mman.h>

int main() {
  constexpr std::size_t kPage = 4096;
  char* map = static_cast<char*>(
      mmap(nullptr, 64 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(map + 16 * kPage, 8 * kPage);
  munmap(map, 16 * kPage);
  std::printf("%d\n", munmap(map + 24 * kPage + 1, kPage));  // not at a page: EINVAL
  munmap(map + 16 * kPage, 48 * kPage);                      // the hole may be part of it
}
