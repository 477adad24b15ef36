// Ends at once, while a child of its goes on, and writes 200 MiB before it ends as well.
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

int main() {
  constexpr std::size_t kBytes = std::size_t{200} << 20U;
  if (fork() != 0)
    _exit(0);
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED)
    std::memset(memory, 1, kBytes);
  _exit(0);
}
