// A library with some of mimalloc's names, and nothing of libc's: each block is a mapping, and says
// which copy of the library made it.
#include <cstddef>
#include <cstdlib>

#include <sys/mman.h>

namespace {
constexpr std::size_t kHeadBytes = 4096;

struct Head {
  std::size_t bytes;
  int copy;
};
}  // namespace

extern "C" {
void* mi_malloc(std::size_t size);
void mi_free(void* block);
int copy_of(const void* block);
}

void* mi_malloc(std::size_t size) {
  void* memory =
      mmap(nullptr, size + kHeadBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  *static_cast<Head*>(memory) = {size + kHeadBytes, COPY};
  return static_cast<char*>(memory) + kHeadBytes;
}

int copy_of(const void* block) {
  return reinterpret_cast<const Head*>(static_cast<const char*>(block) - kHeadBytes)->copy;
}

void mi_free(void* block) {
  if (copy_of(block) != COPY)
    std::abort();
  char* memory = static_cast<char*>(block) - kHeadBytes;
  munmap(memory, reinterpret_cast<const Head*>(memory)->bytes);
}
