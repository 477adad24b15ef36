/// The heap lane: what is recorded around each allocation, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/hooks/stack.hpp"
#include "preload/real.hpp"
#include "preload/record.hpp"

namespace tidemark::preload {

/// Usable minus requested bytes, as far as 32 bits hold it.
inline std::uint32_t slack_of(void* block, std::size_t size) {
  const std::size_t usable = real::malloc_usable_size(block);
  return usable > size ? static_cast<std::uint32_t>(usable - size) : 0;
}

/// After the real call: before it the address is not known, and nobody can free it yet.
/// @param block The real function's result; nullptr makes this a failed request.
inline void record_allocation(void* block, std::size_t size, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) [[unlikely]]
    return;
  const std::uint32_t stack = take_stack(*thread, caller);
  if (block == nullptr) [[unlikely]] {
    write(*thread, {.kind = wire::RecordKind::kAllocationFailed, .size = size, .stack = stack});
    return;
  }
  write(*thread,
        {.kind = wire::RecordKind::kAllocate,
         .address = reinterpret_cast<std::uint64_t>(block),
         .size = size,
         .stack = stack,
         .extra = slack_of(block, size)});
}

/// Before the real call: once the allocator has the block, another thread may be given its address and
/// record that first.
inline void record_free(void* block) {
  if (block == nullptr)
    return;
  if (ThreadState* thread = current_thread())
    write(*thread,
          {.kind = wire::RecordKind::kFree, .address = reinterpret_cast<std::uint64_t>(block)});
}

/// A realloc leaves two records. The first, before the real call, says that the old address may go to
/// another thread from now on; the second, after it, says what came of it. The collector holds the old
/// block aside in between and makes one event of both, at the time of the second; when the call failed
/// the old block goes back to its place.
inline void record_realloc_begin(void* old_block, std::size_t size) {
  if (ThreadState* thread = current_thread())
    write(*thread,
          {.kind = wire::RecordKind::kReallocBegin,
           .address = reinterpret_cast<std::uint64_t>(old_block),
           .size = size});
}

inline void record_realloc_end(void* block, std::size_t size, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const std::uint32_t stack = take_stack(*thread, caller);
  // realloc(p, 0) of glibc frees and returns null: that is no failure.
  if (block == nullptr && size != 0) {
    write(*thread, {.kind = wire::RecordKind::kReallocFailed, .size = size, .stack = stack});
    return;
  }
  write(*thread,
        {.kind = wire::RecordKind::kReallocEnd,
         .address = reinterpret_cast<std::uint64_t>(block),
         .size = size,
         .stack = stack,
         .extra = block != nullptr ? slack_of(block, size) : 0});
}

}  // namespace tidemark::preload
