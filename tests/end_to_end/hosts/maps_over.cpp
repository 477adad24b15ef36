// MAP_FIXED over the middle of another mapping: the bytes under it are gone, not added to.
#include <cstddef>

#include <sys/mman.h>

int main() {
  constexpr std::size_t kPage = 4096;
  char* map = static_cast<char*>(
      mmap(nullptr, 64 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  (void)mmap(map + 16 * kPage, 8 * kPage, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  (void)mmap(map + 32 * kPage, 8 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0);
  munmap(map, 64 * kPage);
}
