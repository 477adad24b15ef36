// A mapping of 16 pages grows to 64, shrinks to 32, moves to a place of the host's choice, and
// goes. One mremap fails in between.
#include <cstdio>

#include <sys/mman.h>

int main() {
  constexpr std::size_t kPage = 4096;
  void* map = mmap(nullptr, 16 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  map = mremap(map, 16 * kPage, 64 * kPage, MREMAP_MAYMOVE);
  map = mremap(map, 64 * kPage, 32 * kPage, 0);
  void* failed = mremap(map, 32 * kPage, std::size_t{1} << 50, MREMAP_MAYMOVE);
  std::printf("%s\n", failed == MAP_FAILED ? "failed" : "granted");
  char* place = static_cast<char*>(map) - (std::size_t{1} << 32);
  map = mremap(map, 32 * kPage, 32 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  std::printf("%d\n", map == place);
  munmap(map, 32 * kPage);
}
