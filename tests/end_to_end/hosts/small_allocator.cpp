// An allocator as a library: hands out a pool, and never takes anything back. Linked with the older
// hash table alone.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {
alignas(64) char g_pool[64 << 20];
std::size_t g_used = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t need = bytes + alignment + sizeof bytes;
  const std::size_t begin = __atomic_fetch_add(&g_used, need, __ATOMIC_RELAXED);
  if (begin + need > sizeof g_pool)
    return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(g_pool + begin) + sizeof bytes;
  char* block = reinterpret_cast<char*>((at + alignment - 1) / alignment * alignment);
  std::memcpy(block - sizeof bytes, &bytes, sizeof bytes);
  return block;
}
}  // namespace

extern "C" {
bool small_allocator_has(const void* block) {
  return block >= g_pool && block < g_pool + sizeof g_pool;
}
void* malloc(std::size_t bytes) {
  return allocate(bytes, 16);
}
void free(void*) {}
void* calloc(std::size_t count, std::size_t bytes) {
  return allocate(count * bytes, 16);  // never handed out before: zero
}
void* realloc(void* block, std::size_t bytes) {
  void* larger = allocate(bytes, 16);
  if (block != nullptr && larger != nullptr) {
    std::size_t before = 0;
    std::memcpy(&before, static_cast<char*>(block) - sizeof before, sizeof before);
    std::memcpy(larger, block, before < bytes ? before : bytes);
  }
  return larger;
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return allocate(bytes, alignment < 16 ? 16 : alignment);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out != nullptr ? 0 : 12;
}
char* strdup(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  void* block = allocate(bytes, 16);
  return block != nullptr ? static_cast<char*>(std::memcpy(block, text, bytes)) : nullptr;
}
std::size_t malloc_usable_size(void*) {
  return 0;
}
}
