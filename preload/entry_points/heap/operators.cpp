// C++ operator new and delete, under their mangled names.
//
// libstdc++'s operators call malloc and free, whose hooks record: here they are only passed on, by
// a jump, so that exceptions bypass us. An allocator library that defines the operators itself
// (jemalloc, tcmalloc) does not go through malloc: then they record here.

#include "preload/entry_points/export.hpp"
#include "preload/hooks/allocator_call.hpp"
#include "preload/hooks/heap.hpp"

namespace preload = tidemark::preload;
namespace real = tidemark::real;

constinit thread_local std::size_t preload::t_aligned_request = 0;

namespace {

/// @param caller Code that called the operator. If no loaded library has the operators, the
/// caller's own object may: a plugin with libstdc++ linked in statically. That result is not
/// cached, as the object may be unloaded.
/// @return nullptr when there is none anywhere.
template <typename Function>
Function found(Function& function, const char* symbol, const void* caller) {
  real::need();
  if (function != nullptr) [[likely]]
    return function;
  function = reinterpret_cast<Function>(real::find_operator(symbol));
  if (function != nullptr)
    return function;
  return reinterpret_cast<Function>(real::find_operator_of(caller, symbol));
}

/// True for libstdc++'s, which calls our malloc or free.
template <typename Function>
bool is_passed_on(Function function) {
  return function != nullptr && !real::is_allocator_code(reinterpret_cast<const void*>(function));
}

/// @param is_foreign The block belongs to a foreign allocator although malloc is libc's: libc
/// cannot be asked about it.
[[gnu::always_inline]] inline void record_new(bool is_foreign,
                                              void* block,
                                              std::size_t size,
                                              const tidemark::unwind::FrameState& caller) {
  if (is_foreign)
    preload::record_named_allocation(block, size, caller);
  else
    preload::record_allocation(block, size, caller);
}

[[gnu::always_inline]] inline void record_delete(bool is_foreign, void* block) {
  if (is_foreign)
    preload::record_named_free(block);
  else
    preload::record_free(block);
}

}  // namespace

// With no operator to pass on to, these behave like the default ones.

#define TIDEMARK_NEW(name, parameters, arguments)                                \
  TIDEMARK_EXPORT void* name parameters {                                        \
    const auto function = found(real::name, #name, __builtin_return_address(0)); \
    if (is_passed_on(function)) [[likely]]                                       \
      return function arguments;                                                 \
    TIDEMARK_ALLOCATOR_CALL(function arguments)                                  \
    void* block = function != nullptr ? function arguments : real::malloc(size); \
    if (allocator_call.must_record(block))                                       \
      record_new(function != nullptr, block, size, TIDEMARK_CALLER);             \
    return block;                                                                \
  }

#define TIDEMARK_ALIGNED_NEW(name, parameters, arguments)                                 \
  TIDEMARK_EXPORT void* name parameters {                                                 \
    const auto function = found(real::name, #name, __builtin_return_address(0));          \
    if (is_passed_on(function)) [[likely]] {                                              \
      preload::t_aligned_request = size;                                                  \
      return function arguments;                                                          \
    }                                                                                     \
    TIDEMARK_ALLOCATOR_CALL(function arguments)                                           \
    void* block = function != nullptr ? function arguments : real::memalign(align, size); \
    if (allocator_call.must_record(block))                                                \
      record_new(function != nullptr, block, size, TIDEMARK_CALLER);                      \
    return block;                                                                         \
  }

#define TIDEMARK_DELETE(name, parameters, arguments)                             \
  TIDEMARK_EXPORT void name parameters {                                         \
    const auto function = found(real::name, #name, __builtin_return_address(0)); \
    if (is_passed_on(function)) [[likely]]                                       \
      return function arguments;                                                 \
    const preload::AllocatorCall allocator_call(__builtin_return_address(0));    \
    if (allocator_call.must_record_release(block))                               \
      record_delete(function != nullptr, block);                                 \
    if (function != nullptr)                                                     \
      return function arguments;                                                 \
    real::free(block);                                                           \
  }

using Nothrow = const void*;
using Align = std::size_t;

TIDEMARK_NEW(_Znwm, (std::size_t size), (size))
TIDEMARK_NEW(_Znam, (std::size_t size), (size))
TIDEMARK_NEW(_ZnwmRKSt9nothrow_t, (std::size_t size, Nothrow tag), (size, tag))
TIDEMARK_NEW(_ZnamRKSt9nothrow_t, (std::size_t size, Nothrow tag), (size, tag))
TIDEMARK_ALIGNED_NEW(_ZnwmSt11align_val_t, (std::size_t size, Align align), (size, align))
TIDEMARK_ALIGNED_NEW(_ZnamSt11align_val_t, (std::size_t size, Align align), (size, align))
TIDEMARK_ALIGNED_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
                     (std::size_t size, Align align, Nothrow tag),
                     (size, align, tag))
TIDEMARK_ALIGNED_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
                     (std::size_t size, Align align, Nothrow tag),
                     (size, align, tag))

TIDEMARK_DELETE(_ZdlPv, (void* block), (block))
TIDEMARK_DELETE(_ZdaPv, (void* block), (block))
TIDEMARK_DELETE(_ZdlPvm, (void* block, std::size_t size), (block, size))
TIDEMARK_DELETE(_ZdaPvm, (void* block, std::size_t size), (block, size))
TIDEMARK_DELETE(_ZdlPvRKSt9nothrow_t, (void* block, Nothrow tag), (block, tag))
TIDEMARK_DELETE(_ZdaPvRKSt9nothrow_t, (void* block, Nothrow tag), (block, tag))
TIDEMARK_DELETE(_ZdlPvSt11align_val_t, (void* block, Align align), (block, align))
TIDEMARK_DELETE(_ZdaPvSt11align_val_t, (void* block, Align align), (block, align))
TIDEMARK_DELETE(_ZdlPvmSt11align_val_t,
                (void* block, std::size_t size, Align align),
                (block, size, align))
TIDEMARK_DELETE(_ZdaPvmSt11align_val_t,
                (void* block, std::size_t size, Align align),
                (block, size, align))
TIDEMARK_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,
                (void* block, Align align, Nothrow tag),
                (block, align, tag))
TIDEMARK_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,
                (void* block, Align align, Nothrow tag),
                (block, align, tag))
