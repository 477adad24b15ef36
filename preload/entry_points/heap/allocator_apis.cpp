// Allocators that are called by names of their own: mimalloc, jemalloc, tcmalloc and rpmalloc, as
// their headers declare them. Each line gives the function, its parameters, the arguments passed
// on, the bytes requested and their alignment.
//
// Heaps (mi_heap_malloc, rpmalloc_heap_alloc) are not followed: they free all their blocks at once,
// without saying which.

#include "preload/entry_points/export.hpp"
#include "preload/hooks/allocator_api.hpp"
#include "preload/hooks/allocator_call.hpp"
#include "preload/hooks/heap.hpp"

#include <cstddef>
#include <cstring>

#include <stdlib.h>

namespace preload = tidemark::preload;

using preload::AllocatorCall;

namespace {

using Size = std::size_t;
using Tag = const void*;

std::size_t product(std::size_t count, std::size_t size) {
  std::size_t total = 0;
  return __builtin_mul_overflow(count, size, &total) ? ~std::size_t{0} : total;
}

/// Zeroes the block from `from` to its usable end, where the next growth begins.
void* zeroed_from(void* block, std::size_t from) {
  const std::size_t usable = block != nullptr ? tidemark::real::malloc_usable_size(block) : 0;
  if (usable > from)
    std::memset(static_cast<std::byte*>(block) + from, 0, usable - from);
  return block;
}

/// For a function that no loaded object defines, but to which a weak reference of the program was
/// bound before ours could be hidden: returns libc memory, which every function of this file can
/// free.
void* stand_in(std::size_t size, std::size_t alignment = 0) {
  if (alignment <= alignof(std::max_align_t))
    return zeroed_from(calloc(1, size), size);
  void* block = nullptr;
  return posix_memalign(&block, alignment, size) == 0 ? zeroed_from(block, 0) : nullptr;
}

/// The same for a resized block; what it grows by is zeroed, as mi_rezalloc and its kin promise.
void* stand_in_resized(void* old, std::size_t size) {
  const std::size_t before = old != nullptr ? tidemark::real::malloc_usable_size(old) : 0;
  return zeroed_from(realloc(old, size), before);
}

/// From the first call on, the object containing `function` counts as an allocator, whose mappings
/// back its blocks. Until then it may be loaded without anyone using these names.
void note_use(const void* function) {
  if (!tidemark::real::is_allocator_code(function)) [[unlikely]]
    tidemark::real::note_allocator(function);
}

}  // namespace

/// Defines `function`, the real one. Returns from the hook if there is none or the allocator calls
/// itself.
#define TIDEMARK_API_BEGIN(name, arguments, without)                                \
  TIDEMARK_ALLOCATOR_FUNCTION(g_api, #name);                                        \
  tidemark::real::need();                                                           \
  auto* const function = reinterpret_cast<decltype(&name)>(g_api.function);         \
  if (function == nullptr)                                                          \
    return without;                                                                 \
  note_use(g_api.function);                                                         \
  const AllocatorCall call(__builtin_return_address(0), AllocatorCall::Of::kNamed); \
  if (call.is_own())                                                                \
    return function arguments;

#define TIDEMARK_API_NEW(name, parameters, arguments, bytes, alignment) \
  TIDEMARK_EXPORT void* name parameters {                               \
    TIDEMARK_API_BEGIN(name, arguments, stand_in(bytes, alignment))     \
    void* block = function arguments;                                   \
    if (call.must_record(block))                                        \
      preload::record_named_allocation(block, bytes, TIDEMARK_CALLER);  \
    return block;                                                       \
  }

#define TIDEMARK_API_MEMALIGN(name)                                                        \
  TIDEMARK_EXPORT int name(void** out, Size alignment, Size size) {                        \
    TIDEMARK_API_BEGIN(name, (out, alignment, size), posix_memalign(out, alignment, size)) \
    const int error = function(out, alignment, size);                                      \
    if (error == 0 && call.must_record(*out))                                              \
      preload::record_named_allocation(*out, size, TIDEMARK_CALLER);                       \
    return error;                                                                          \
  }

// If it fails, the old block stays valid.
#define TIDEMARK_API_RESIZE(name, parameters, arguments, bytes)          \
  TIDEMARK_EXPORT void* name parameters {                                \
    TIDEMARK_API_BEGIN(name, arguments, stand_in_resized(old, bytes))    \
    if (old == nullptr) {                                                \
      void* block = function arguments;                                  \
      if (call.must_record(block))                                       \
        preload::record_named_allocation(block, bytes, TIDEMARK_CALLER); \
      return block;                                                      \
    }                                                                    \
    if (!call.must_record_release(old))                                  \
      return function arguments;                                         \
    preload::record_realloc_begin(old, bytes);                           \
    void* block = function arguments;                                    \
    preload::record_named_realloc_end(block, bytes, TIDEMARK_CALLER);    \
    return block;                                                        \
  }

#define TIDEMARK_API_FREE(name, parameters, arguments) \
  TIDEMARK_EXPORT void name parameters {               \
    TIDEMARK_API_BEGIN(name, arguments, free(block))   \
    if (call.must_record_release(block))               \
      preload::record_named_free(block);               \
    function arguments;                                \
  }

#define TIDEMARK_API_TEXT(name, parameters, arguments, bytes, without) \
  TIDEMARK_EXPORT char* name parameters {                              \
    TIDEMARK_API_BEGIN(name, arguments, without)                       \
    char* block = function arguments;                                  \
    if (call.must_record(block))                                       \
      preload::record_named_allocation(block, bytes, TIDEMARK_CALLER); \
    return block;                                                      \
  }

// ---- mimalloc: mimalloc.h of 1.8, 2.1 and 3.0 ----

TIDEMARK_API_NEW(mi_malloc, (Size size), (size), size, 0)
TIDEMARK_API_NEW(mi_zalloc, (Size size), (size), size, 0)
TIDEMARK_API_NEW(mi_malloc_small, (Size size), (size), size, 0)
TIDEMARK_API_NEW(mi_zalloc_small, (Size size), (size), size, 0)
TIDEMARK_API_NEW(mi_calloc, (Size count, Size size), (count, size), product(count, size), 0)
TIDEMARK_API_NEW(mi_mallocn, (Size count, Size size), (count, size), product(count, size), 0)
TIDEMARK_API_NEW(mi_malloc_aligned, (Size size, Size align), (size, align), size, align)
TIDEMARK_API_NEW(mi_zalloc_aligned, (Size size, Size align), (size, align), size, align)
TIDEMARK_API_NEW(
    mi_malloc_aligned_at, (Size size, Size align, Size at), (size, align, at), size, align)
TIDEMARK_API_NEW(
    mi_zalloc_aligned_at, (Size size, Size align, Size at), (size, align, at), size, align)
TIDEMARK_API_NEW(mi_calloc_aligned,
                 (Size count, Size size, Size align),
                 (count, size, align),
                 product(count, size),
                 align)
TIDEMARK_API_NEW(mi_calloc_aligned_at,
                 (Size count, Size size, Size align, Size at),
                 (count, size, align, at),
                 product(count, size),
                 align)
TIDEMARK_API_NEW(mi_memalign, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(mi_aligned_alloc, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(mi_valloc, (Size size), (size), size, 4096)
TIDEMARK_API_NEW(mi_pvalloc, (Size size), (size), size, 4096)
TIDEMARK_API_NEW(mi_new, (Size size), (size), size, 0)
TIDEMARK_API_NEW(mi_new_nothrow, (Size size), (size), size, 0)
TIDEMARK_API_NEW(mi_new_n, (Size count, Size size), (count, size), product(count, size), 0)
TIDEMARK_API_NEW(mi_new_aligned, (Size size, Size align), (size, align), size, align)
TIDEMARK_API_NEW(mi_new_aligned_nothrow, (Size size, Size align), (size, align), size, align)
TIDEMARK_API_MEMALIGN(mi_posix_memalign)
TIDEMARK_API_RESIZE(mi_realloc, (void* old, Size size), (old, size), size)
TIDEMARK_API_RESIZE(mi_rezalloc, (void* old, Size size), (old, size), size)
TIDEMARK_API_RESIZE(mi_new_realloc, (void* old, Size size), (old, size), size)
TIDEMARK_API_RESIZE(mi_reallocn,
                    (void* old, Size count, Size size),
                    (old, count, size),
                    product(count, size))
TIDEMARK_API_RESIZE(mi_recalloc,
                    (void* old, Size count, Size size),
                    (old, count, size),
                    product(count, size))
TIDEMARK_API_RESIZE(mi_reallocarray,
                    (void* old, Size count, Size size),
                    (old, count, size),
                    product(count, size))
TIDEMARK_API_RESIZE(mi_new_reallocn,
                    (void* old, Size count, Size size),
                    (old, count, size),
                    product(count, size))
// If it fails, it frees the old block.
TIDEMARK_EXPORT void* mi_reallocf(void* old, Size size) {
  TIDEMARK_API_BEGIN(mi_reallocf, (old, size), realloc(old, size))
  if (call.must_record_release(old))
    preload::record_named_free(old);
  void* block = function(old, size);
  if (call.must_record(block))
    preload::record_named_allocation(block, size, TIDEMARK_CALLER);
  return block;
}
TIDEMARK_API_RESIZE(mi_realloc_aligned,
                    (void* old, Size size, Size align),
                    (old, size, align),
                    size)
TIDEMARK_API_RESIZE(mi_rezalloc_aligned,
                    (void* old, Size size, Size align),
                    (old, size, align),
                    size)
TIDEMARK_API_RESIZE(mi_realloc_aligned_at,
                    (void* old, Size size, Size align, Size at),
                    (old, size, align, at),
                    size)
TIDEMARK_API_RESIZE(mi_rezalloc_aligned_at,
                    (void* old, Size size, Size align, Size at),
                    (old, size, align, at),
                    size)
TIDEMARK_API_RESIZE(mi_recalloc_aligned,
                    (void* old, Size count, Size size, Size align),
                    (old, count, size, align),
                    product(count, size))
TIDEMARK_API_TEXT(mi_strdup, (const char* text), (text), std::strlen(text) + 1, strdup(text))
TIDEMARK_API_TEXT(mi_strndup,
                  (const char* text, Size most),
                  (text, most),
                  strnlen(text, most) + 1,
                  strndup(text, most))
TIDEMARK_API_FREE(mi_free, (void* block), (block))
TIDEMARK_API_FREE(mi_cfree, (void* block), (block))
TIDEMARK_API_FREE(mi_free_size, (void* block, Size size), (block, size))
TIDEMARK_API_FREE(mi_free_size_aligned, (void* block, Size size, Size align), (block, size, align))
TIDEMARK_API_FREE(mi_free_aligned, (void* block, Size align), (block, align))

// ---- jemalloc: jemalloc.h of 4.0 to 5.3. Builds with a prefix also have libc's functions, under
// it. ----

namespace {
/// MALLOCX_LG_ALIGN
std::size_t alignment_of(int flags) {
  return std::size_t{1} << (static_cast<unsigned>(flags) & 63U);
}

/// Resizes in place, or not at all.
/// @param resized the block's size afterwards.
std::size_t recorded_resize(void* block,
                            std::size_t size,
                            std::size_t resized,
                            const tidemark::unwind::FrameState& caller) {
  preload::record_named_realloc_end(resized >= size ? block : nullptr, size, caller);
  return resized;
}
}  // namespace

#define TIDEMARK_API_JEMALLOC(prefix)                                                            \
  TIDEMARK_API_NEW(prefix##mallocx, (Size size, int flags), (size, flags), size,                 \
                   alignment_of(flags))                                                          \
  TIDEMARK_API_RESIZE(prefix##rallocx, (void* old, Size size, int flags), (old, size, flags),    \
                      size)                                                                      \
  TIDEMARK_API_FREE(prefix##dallocx, (void* block, int flags), (block, flags))                   \
  TIDEMARK_API_FREE(prefix##sdallocx, (void* block, Size size, int flags), (block, size, flags)) \
  TIDEMARK_EXPORT Size prefix##xallocx(void* block, Size size, Size extra, int flags) {          \
    TIDEMARK_API_BEGIN(prefix##xallocx, (block, size, extra, flags),                             \
                       tidemark::real::malloc_usable_size(block))                                \
    preload::record_realloc_begin(block, size);                                                  \
    return recorded_resize(block, size, function(block, size, extra, flags), TIDEMARK_CALLER);   \
  }

TIDEMARK_API_JEMALLOC()
TIDEMARK_API_JEMALLOC(je_)
TIDEMARK_API_NEW(je_malloc, (Size size), (size), size, 0)
TIDEMARK_API_NEW(je_calloc, (Size count, Size size), (count, size), product(count, size), 0)
TIDEMARK_API_NEW(je_memalign, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(je_aligned_alloc, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(je_valloc, (Size size), (size), size, 4096)
TIDEMARK_API_MEMALIGN(je_posix_memalign)
TIDEMARK_API_RESIZE(je_realloc, (void* old, Size size), (old, size), size)
TIDEMARK_API_FREE(je_free, (void* block), (block))

// ---- tcmalloc: gperftools/tcmalloc.h of 2.7 to 2.16 ----

TIDEMARK_API_NEW(tc_malloc, (Size size), (size), size, 0)
TIDEMARK_API_NEW(tc_malloc_skip_new_handler, (Size size), (size), size, 0)
TIDEMARK_API_NEW(tc_calloc, (Size count, Size size), (count, size), product(count, size), 0)
TIDEMARK_API_NEW(tc_memalign, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(tc_valloc, (Size size), (size), size, 4096)
TIDEMARK_API_NEW(tc_pvalloc, (Size size), (size), size, 4096)
TIDEMARK_API_NEW(tc_new, (Size size), (size), size, 0)
TIDEMARK_API_NEW(tc_newarray, (Size size), (size), size, 0)
TIDEMARK_API_NEW(tc_new_nothrow, (Size size, Tag tag), (size, tag), size, 0)
TIDEMARK_API_NEW(tc_newarray_nothrow, (Size size, Tag tag), (size, tag), size, 0)
TIDEMARK_API_NEW(tc_new_aligned, (Size size, Size align), (size, align), size, align)
TIDEMARK_API_NEW(tc_newarray_aligned, (Size size, Size align), (size, align), size, align)
TIDEMARK_API_NEW(
    tc_new_aligned_nothrow, (Size size, Size align, Tag tag), (size, align, tag), size, align)
TIDEMARK_API_NEW(
    tc_newarray_aligned_nothrow, (Size size, Size align, Tag tag), (size, align, tag), size, align)
TIDEMARK_API_MEMALIGN(tc_posix_memalign)
TIDEMARK_API_RESIZE(tc_realloc, (void* old, Size size), (old, size), size)
TIDEMARK_API_FREE(tc_free, (void* block), (block))
TIDEMARK_API_FREE(tc_cfree, (void* block), (block))
TIDEMARK_API_FREE(tc_free_sized, (void* block, Size size), (block, size))
TIDEMARK_API_FREE(tc_delete, (void* block), (block))
TIDEMARK_API_FREE(tc_deletearray, (void* block), (block))
TIDEMARK_API_FREE(tc_delete_sized, (void* block, Size size), (block, size))
TIDEMARK_API_FREE(tc_deletearray_sized, (void* block, Size size), (block, size))
TIDEMARK_API_FREE(tc_delete_nothrow, (void* block, Tag tag), (block, tag))
TIDEMARK_API_FREE(tc_deletearray_nothrow, (void* block, Tag tag), (block, tag))
TIDEMARK_API_FREE(tc_delete_aligned, (void* block, Size align), (block, align))
TIDEMARK_API_FREE(tc_deletearray_aligned, (void* block, Size align), (block, align))
TIDEMARK_API_FREE(tc_delete_sized_aligned,
                  (void* block, Size size, Size align),
                  (block, size, align))
TIDEMARK_API_FREE(tc_deletearray_sized_aligned,
                  (void* block, Size size, Size align),
                  (block, size, align))
TIDEMARK_API_FREE(tc_delete_aligned_nothrow,
                  (void* block, Size align, Tag tag),
                  (block, align, tag))
TIDEMARK_API_FREE(tc_deletearray_aligned_nothrow,
                  (void* block, Size align, Tag tag),
                  (block, align, tag))

// ---- rpmalloc: rpmalloc.h of 1.4 ----

TIDEMARK_API_NEW(rpmalloc, (Size size), (size), size, 0)
TIDEMARK_API_NEW(rpcalloc, (Size count, Size size), (count, size), product(count, size), 0)
TIDEMARK_API_NEW(rpmemalign, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(rpaligned_alloc, (Size align, Size size), (align, size), size, align)
TIDEMARK_API_NEW(rpaligned_calloc,
                 (Size align, Size count, Size size),
                 (align, count, size),
                 product(count, size),
                 align)
TIDEMARK_API_MEMALIGN(rpposix_memalign)
TIDEMARK_API_RESIZE(rprealloc, (void* old, Size size), (old, size), size)
TIDEMARK_API_RESIZE(rpaligned_realloc,
                    (void* old, Size align, Size size, Size before, unsigned flags),
                    (old, align, size, before, flags),
                    size)
TIDEMARK_API_FREE(rpfree, (void* block), (block))
