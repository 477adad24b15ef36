/// Keeps a foreign allocator's nested calls from being recorded twice. Some serve one call by
/// calling another of their own functions through the dynamic linker: jemalloc's operator delete
/// jumps to free, tcmalloc gets its tables from operator new.
#pragma once

#include "preload/hooks/real.hpp"

#include <cstdint>

namespace tidemark::preload {

/// What the calling thread's foreign allocator is doing. All zeros: nothing.
struct AllocatorWork {
  /// The outermost AllocatorCall in progress, on the stack. It dangles after an exception from
  /// operator new or a handler's longjmp; the next call at its depth or further out replaces it.
  const void* outermost = nullptr;
  const void* releasing = nullptr;  ///< The block of the free, delete or realloc that is recorded.
  const void* recorded = nullptr;   ///< The last block that was recorded by a call inside another.
};
extern constinit thread_local AllocatorWork t_allocator_work;

/// Scope of one call of a real function. Free of cost with libc's heap, which never calls back into
/// our hooks.
class AllocatorCall {
 public:
  /// Whose function is called: the one behind malloc and its kin, or another allocator's, by a
  /// name of its own.
  enum class Of : std::uint8_t { kHeap, kNamed };

  /// @param caller Return address of the hook.
  explicit AllocatorCall(const void* caller, Of of = Of::kHeap)
      : is_plain_(of == Of::kHeap && real::g_heap_is_libc) {
    if (!is_plain_) [[unlikely]]
      begin(caller);
  }
  ~AllocatorCall() {
    if (!is_plain_ && !is_inside_) [[unlikely]]
      t_allocator_work = {};
  }
  AllocatorCall(const AllocatorCall&) = delete;
  AllocatorCall& operator=(const AllocatorCall&) = delete;

  /// True when the allocator's own code makes this call: the program's enclosing call is the one
  /// that is recorded.
  [[nodiscard]] bool is_own() const { return is_own_; }

  /// @return false when a call inside this one has recorded `block` already.
  [[nodiscard]] bool must_record(const void* block) const {
    if (is_plain_) [[likely]]
      return true;
    if (block != nullptr && t_allocator_work.recorded == block)
      return false;
    if (is_inside_)
      t_allocator_work.recorded = block;
    return true;
  }

  /// @return false when this call is part of a release or a resizing of `block` that is recorded
  /// already.
  [[nodiscard]] bool must_record_release(const void* block) const {
    if (is_plain_) [[likely]]
      return true;
    if (is_own_ || t_allocator_work.releasing == block)
      return false;
    t_allocator_work.releasing = block;
    return true;
  }

 private:
  [[gnu::noinline, gnu::cold]] void begin(const void* caller) {
    is_inside_ = t_allocator_work.outermost != nullptr && this < t_allocator_work.outermost;
    // Both: a handler may have interrupted the allocator, and a library may be allocator and
    // program in one.
    is_own_ = is_inside_ && real::is_allocator_code(caller);
    if (!is_inside_)
      t_allocator_work = {.outermost = this};
  }

  bool is_plain_;
  bool is_inside_ = false;
  bool is_own_ = false;
};

}  // namespace tidemark::preload

/// Put at the beginning of a hook that allocates. If the allocator calls itself, the hook only
/// makes the real call.
#define TIDEMARK_ALLOCATOR_CALL(real_call)                                            \
  const tidemark::preload::AllocatorCall allocator_call(__builtin_return_address(0)); \
  if (allocator_call.is_own()) [[unlikely]]                                           \
    return real_call;
