// The C allocation functions. libc's strdup, getline, asprintf, fopen and their like call malloc
// through the dynamic linker, so they arrive here by themselves.

#include "preload/hooks/heap.hpp"

#include "preload/entry_points/export.hpp"
#include "preload/hooks/allocator_call.hpp"

#include <cstring>

#include <errno.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

constinit thread_local preload::AllocatorWork preload::t_allocator_work{};

TIDEMARK_EXPORT void* malloc(std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::malloc(size))
  void* block = real::malloc(size);
  if (allocator_call.must_record(block)) [[likely]]
    preload::record_allocation(block, size, TIDEMARK_CALLER);
  return block;
}

TIDEMARK_EXPORT void free(void* block) {
  real::need();
  if (real::g_heap_is_libc) [[likely]] {
    preload::record_free(block);
    return real::free(block);  // a jump
  }
  const preload::AllocatorCall allocator_call(__builtin_return_address(0));
  if (allocator_call.must_record_release(block))
    preload::record_free(block);
  real::free(block);
}

TIDEMARK_EXPORT void* calloc(std::size_t count, std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::calloc(count, size))
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total))
    total = ~std::size_t{0};  // the real calloc refuses it, and the failed event says how much
  void* block = real::calloc(count, size);
  if (allocator_call.must_record(block)) [[likely]]
    preload::record_allocation(block, total, TIDEMARK_CALLER);
  return block;
}

namespace {

/// Part of the hook that calls it: its caller is the program.
[[gnu::always_inline]] inline void* resize(void* old_block, std::size_t size) {
  TIDEMARK_ALLOCATOR_CALL(real::realloc(old_block, size))
  if (old_block == nullptr) {
    void* block = real::realloc(nullptr, size);
    if (allocator_call.must_record(block))
      preload::record_allocation(block, size, TIDEMARK_CALLER);
    return block;
  }
  if (!allocator_call.must_record_release(old_block)) [[unlikely]]
    return real::realloc(old_block, size);
  preload::record_realloc_begin(old_block, size);
  void* block = real::realloc(old_block, size);
  preload::record_realloc_end(block, size, TIDEMARK_CALLER);
  return block;
}

}  // namespace

TIDEMARK_EXPORT void* realloc(void* old_block, std::size_t size) {
  real::need();
  return resize(old_block, size);
}

// glibc's own calls realloc inside libc; done here, the overflow is a failed event too.
TIDEMARK_EXPORT void* reallocarray(void* old_block, std::size_t count, std::size_t size) {
  real::need();
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total)) {
    preload::record_allocation(nullptr, ~std::size_t{0}, TIDEMARK_CALLER);
    errno = ENOMEM;
    return nullptr;
  }
  return resize(old_block, total);
}

TIDEMARK_EXPORT int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::posix_memalign(out, alignment, size))
  const int error = real::posix_memalign(out, alignment, size);
  if (error == 0 ? allocator_call.must_record(*out) : error == ENOMEM)
    preload::record_allocation(error == 0 ? *out : nullptr,
                               preload::take_aligned_request(alignment, size), TIDEMARK_CALLER);
  return error;
}

TIDEMARK_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::aligned_alloc(alignment, size))
  void* block = real::aligned_alloc(alignment, size);
  if (allocator_call.must_record(block)) [[likely]]
    preload::record_allocation(block, preload::take_aligned_request(alignment, size),
                               TIDEMARK_CALLER);
  return block;
}

TIDEMARK_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::memalign(alignment, size))
  void* block = real::memalign(alignment, size);
  if (allocator_call.must_record(block)) [[likely]]
    preload::record_allocation(block, preload::take_aligned_request(alignment, size),
                               TIDEMARK_CALLER);
  return block;
}

TIDEMARK_EXPORT void* valloc(std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::valloc(size))
  void* block = real::valloc(size);
  if (allocator_call.must_record(block)) [[likely]]
    preload::record_allocation(block, size, TIDEMARK_CALLER);
  return block;
}

TIDEMARK_EXPORT void* pvalloc(std::size_t size) {
  real::need();
  TIDEMARK_ALLOCATOR_CALL(real::pvalloc(size))
  void* block = real::pvalloc(size);
  if (allocator_call.must_record(block)) [[likely]]
    preload::record_allocation(block, size, TIDEMARK_CALLER);
  return block;
}

// A foreign allocator's own strdup (mimalloc 3 has one) calls its malloc without the dynamic
// linker.
TIDEMARK_EXPORT char* strdup(const char* text) {
  real::need();
  if (!real::is_allocators_own(real::strdup)) [[likely]]
    return real::strdup(text);  // a jump: no frame of ours between libc's and the caller's
  TIDEMARK_ALLOCATOR_CALL(real::strdup(text))
  char* block = real::strdup(text);
  if (allocator_call.must_record(block))
    preload::record_allocation(block, std::strlen(text) + 1, TIDEMARK_CALLER);
  return block;
}

TIDEMARK_EXPORT char* strndup(const char* text, std::size_t most) {
  real::need();
  if (!real::is_allocators_own(real::strndup)) [[likely]]
    return real::strndup(text, most);
  TIDEMARK_ALLOCATOR_CALL(real::strndup(text, most))
  char* block = real::strndup(text, most);
  if (allocator_call.must_record(block))
    preload::record_allocation(block, ::strnlen(text, most) + 1, TIDEMARK_CALLER);
  return block;
}

// C23; glibc has them from 2.43 on, where they are free.
TIDEMARK_EXPORT void free_sized(void* block, std::size_t) {
  free(block);
}
TIDEMARK_EXPORT void free_aligned_sized(void* block, std::size_t, std::size_t) {
  free(block);
}
