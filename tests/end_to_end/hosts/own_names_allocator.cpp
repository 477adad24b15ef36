// A library with two of mimalloc's names, and nothing of libc's: each block is a mapping.
#include <cstddef>

#include <sys/mman.h>

namespace {
constexpr std::size_t kHead = 4096;
}

extern "C" {
void* mi_malloc(std::size_t size);
void mi_free(void* block);
}

void* mi_malloc(std::size_t size) {
  void* memory =
      mmap(nullptr, size + kHead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  *static_cast<std::size_t*>(memory) = size + kHead;
  return static_cast<char*>(memory) + kHead;
}

void mi_free(void* block) {
  char* memory = static_cast<char*>(block) - kHead;
  munmap(memory, *reinterpret_cast<std::size_t*>(memory));
}
