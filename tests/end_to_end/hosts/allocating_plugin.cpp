// A plugin that allocates with mimalloc's names.
#include <cstddef>

extern "C" {
void* mi_malloc(std::size_t size);
void mi_free(void* block);
void* make(std::size_t size);
void unmake(void* block);
}

void* make(std::size_t size) {
  return mi_malloc(size);
}

void unmake(void* block) {
  mi_free(block);
}
