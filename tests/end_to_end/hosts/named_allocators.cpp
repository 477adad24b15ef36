// Calls an allocator by the names that its own header gives it, not in libc's place. Its first word
// says which one; the library comes by LD_PRELOAD, or is linked (own_names). Each size is asked for
// kCount times, and given back as often.
//   mi     mimalloc's     tc  tcmalloc's     x  jemalloc's mallocx
//   large  four blocks of 64 MiB of mimalloc's, which are filled
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
#define WEAK __attribute__((weak))
WEAK void* mi_malloc(std::size_t);
WEAK void* mi_zalloc(std::size_t);
WEAK void* mi_calloc(std::size_t, std::size_t);
WEAK void* mi_realloc(void*, std::size_t);
WEAK void* mi_rezalloc(void*, std::size_t);
WEAK void* mi_malloc_aligned(std::size_t, std::size_t);
WEAK int mi_posix_memalign(void**, std::size_t, std::size_t);
WEAK char* mi_strdup(const char*);
WEAK void* mi_new(std::size_t);
WEAK void mi_free(void*);
WEAK void mi_free_size(void*, std::size_t);

WEAK void* tc_malloc(std::size_t);
WEAK void* tc_calloc(std::size_t, std::size_t);
WEAK void* tc_realloc(void*, std::size_t);
WEAK void* tc_memalign(std::size_t, std::size_t);
WEAK void* tc_new(std::size_t);
WEAK void* tc_newarray_nothrow(std::size_t, const std::nothrow_t&);
WEAK void tc_free(void*);
WEAK void tc_delete(void*);
WEAK void tc_deletearray_nothrow(void*, const std::nothrow_t&);

WEAK void* mallocx(std::size_t, int);
WEAK void* rallocx(void*, std::size_t, int);
WEAK std::size_t xallocx(void*, std::size_t, std::size_t, int);
WEAK void dallocx(void*, int);
WEAK void sdallocx(void*, std::size_t, int);
}

namespace {

constexpr int kCount = 300;
int g_wrong = 0;

void* filled(void* block, std::size_t size, std::size_t alignment = 1) {
  g_wrong += block == nullptr || reinterpret_cast<std::size_t>(block) % alignment != 0 ? 1 : 0;
  return std::memset(block, 7, size);
}

/// What a block grows by is zero, also where other blocks have been.
void check_zeros() {
  constexpr std::size_t kBytes = 40'000;
  void* used[8];
  for (void*& block : used)
    block = filled(mi_malloc(kBytes), kBytes);
  for (void* block : used)
    mi_free(block);
  for (int i = 0; i < 8; ++i) {
    auto* const grown = static_cast<char*>(mi_rezalloc(mi_rezalloc(mi_zalloc(100), 1001), kBytes));
    for (std::size_t at = 0; at < kBytes; ++at)
      g_wrong += grown[at] != 0 ? 1 : 0;
    mi_free(grown);
  }
}

void by_mimalloc() {
  check_zeros();
  char text[3156];
  std::memset(text, 'a', sizeof text);
  text[sizeof text - 1] = '\0';
  for (int i = 0; i < kCount; ++i) {
    mi_free(filled(mi_malloc(3151), 3151));
    mi_free_size(filled(mi_zalloc(3152), 3152), 3152);
    void* block = filled(mi_calloc(3, 1051), 3153);
    mi_free(mi_realloc(block, 3154));
    mi_free(filled(mi_malloc_aligned(3155, 256), 3155, 256));
    mi_free(mi_strdup(text));
    mi_free(filled(mi_new(3157), 3157));
    g_wrong += mi_posix_memalign(&block, 512, 3158);
    std::free(std::malloc(3159));
    mi_free(block);
  }
}

void by_tcmalloc() {
  for (int i = 0; i < kCount; ++i) {
    tc_free(filled(tc_malloc(3151), 3151));
    tc_free(filled(tc_calloc(2, 1576), 3152));
    tc_free(tc_realloc(filled(tc_malloc(3153), 3153), 3154));
    tc_free(filled(tc_memalign(256, 3155), 3155, 256));
    tc_deletearray_nothrow(tc_newarray_nothrow(3156, std::nothrow), std::nothrow);
    tc_delete(filled(tc_new(3157), 3157));
    tc_free(tc_malloc(3158));
    std::free(std::malloc(3159));
  }
}

void by_mallocx() {
  constexpr int kAligned256 = 8;
  constexpr int kZero = 0x40;
  for (int i = 0; i < kCount; ++i) {
    dallocx(filled(mallocx(3151, 0), 3151), 0);
    sdallocx(filled(mallocx(3152, kZero), 3152), 3152, 0);
    dallocx(rallocx(filled(mallocx(3153, 0), 3153), 3154, 0), 0);
    dallocx(filled(mallocx(3155, kAligned256), 3155, 256), 0);
    dallocx(mallocx(3156, 0), 0);
    dallocx(mallocx(3157, 0), 0);
    void* block = mallocx(3158, 0);
    xallocx(block, std::size_t{1} << 30, 0, 0);  // there is no room for it
    dallocx(block, 0);
    std::free(std::malloc(3159));
  }
}

void large() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  void* blocks[4];
  for (void*& block : blocks)
    block = filled(mi_malloc(kBytes), kBytes);
  for (void* block : blocks)
    mi_free(block);
}

}  // namespace

int main(int, char** words) {
  if (std::strcmp(words[1], "mi") == 0)
    by_mimalloc();
  else if (std::strcmp(words[1], "tc") == 0)
    by_tcmalloc();
  else if (std::strcmp(words[1], "x") == 0)
    by_mallocx();
  else
    large();
  std::printf("%d wrong\n", g_wrong);
  return 0;
}
