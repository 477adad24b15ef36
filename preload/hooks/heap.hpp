/// The heap lane: what is recorded around each allocation, and in which order.
#pragma once

#include "preload/hooks/real.hpp"
#include "preload/hooks/stack.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Whose block is recorded: of the one behind malloc, or of an allocator that is called by a name
/// of its own.
enum class BlockOf : std::uint8_t { kHeap, kNamed };

/// Usable minus requested bytes, as far as 32 bits hold it; 0 where only a foreign allocator could
/// tell. tcmalloc's malloc_usable_size allocates at its first call, and others may take a lock:
/// nothing of theirs is called from here.
template <BlockOf kOf>
std::uint32_t slack_of(void* block, std::size_t size) {
  if (kOf == BlockOf::kNamed || !real::g_heap_is_libc) [[unlikely]]
    return 0;
  const std::size_t usable = real::malloc_usable_size(block);
  return usable > size ? static_cast<std::uint32_t>(usable - size) : 0;
}

/// Bytes that an aligned operator new was asked for, 0 outside of one: libstdc++'s rounds them up
/// to a multiple of the alignment before it comes to us again by aligned_alloc.
extern constinit thread_local std::size_t t_aligned_request;

/// What to record for a real aligned allocation of `size` bytes.
inline std::size_t take_aligned_request(std::size_t alignment, std::size_t size) {
  const std::size_t request = t_aligned_request;
  if (request == 0) [[likely]]
    return size;
  t_aligned_request = 0;
  // A signal handler may have come in between with a request of its own.
  return request <= size && size - request < alignment ? request : size;
}

/// After the real call: before it the address is not known, and nobody can free it yet.
/// @param block The real function's result; nullptr makes this a failed request.
template <BlockOf kOf>
[[gnu::always_inline]] inline void record_block(void* block,
                                                std::size_t size,
                                                const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) [[unlikely]]
    return;
  // Before the stack is taken: the processor does both at the same time then.
  const std::uint64_t ticks = now_ticks();
  const std::uint32_t stack = take_stack_of(*thread, size, caller);
  if (block == nullptr) [[unlikely]] {
    write(*thread, wire::AllocationFailed{.bytes = size, .stack = stack}, ticks);
    return;
  }
  write(*thread,
        wire::Allocate{.address = reinterpret_cast<std::uint64_t>(block),
                       .bytes = size,
                       .stack = stack,
                       .slack = slack_of<kOf>(block, size)},
        ticks);
}

inline void record_allocation(void* block, std::size_t size, const unwind::FrameState& caller) {
  record_block<BlockOf::kHeap>(block, size, caller);
}

/// The same, of an allocator that was called by a name of its own.
inline void record_named_allocation(void* block,
                                    std::size_t size,
                                    const unwind::FrameState& caller) {
  record_block<BlockOf::kNamed>(block, size, caller);
}

/// Blocks from so many bytes on are looked at once more before they go.
constexpr std::size_t kLastLookBytes = std::size_t{1} << 20U;
/// Larger ones are not: where nothing of one was touched, the look takes 0.4 us for each MiB, and
/// the release nothing.
constexpr std::size_t kMostLookedAt = std::size_t{64} << 30U;

/// Whether a block may be one that libc has mapped by itself, as it does with large ones: it begins
/// 16 bytes behind a page, or at the first multiple of its alignment from there on.
inline bool begins_as_mapped(const void* block) {
  const std::uint64_t in_page = reinterpret_cast<std::uint64_t>(block) % wire::kPageBytes;
  return (in_page & (in_page - 1)) == 0;
}

/// Whether it is one: bit 1 of the word in front of it (IS_MMAPPED of glibc's malloc.c, in every
/// version). Of a heap that is not libc's nothing is known.
inline bool is_mapped_by_libc(const void* block) {
  constexpr std::size_t kIsMapped = 2;
  return real::g_heap_is_libc && (static_cast<const std::size_t*>(block)[-1] & kIsMapped) != 0;
}

/// record_free of one that libc has mapped: if it is large, also how much of it has been touched.
/// Whoever looks from outside would come too late. The release costs the kernel several times as
/// much for each page that is there.
void record_last_look_and_free(ThreadState& thread, void* block);

/// Before the real call: once the allocator has the block, another thread may be given its address
/// and record that first.
[[gnu::always_inline]] inline void record_free(void* block) {
  if (block == nullptr)
    return;
  // The word in front of it, which libc's free reads next, is in no cache where blocks go in no
  // order: it comes near meanwhile, and the time stamp does not wait for it.
  __builtin_prefetch(static_cast<const std::size_t*>(block) - 1);
  if (ThreadState* thread = current_thread()) {
    if (begins_as_mapped(block) && is_mapped_by_libc(block)) [[unlikely]]
      record_last_look_and_free(*thread, block);
    else
      write(*thread, wire::Free{.address = reinterpret_cast<std::uint64_t>(block)});
  }
}

/// The same of another allocator's: libc cannot be asked about it.
[[gnu::noinline]] inline void record_named_free(void* block) {
  if (block == nullptr)
    return;
  if (ThreadState* thread = current_thread())
    write(*thread, wire::Free{.address = reinterpret_cast<std::uint64_t>(block)});
}

/// A realloc leaves two records. The first, before the real call, says that the old address may go
/// to another thread from now on; the second, after it, says what came of it. The collector holds
/// the old block aside in between and makes one event of both, at the time of the second; when the
/// call failed the old block goes back to its place.
inline void record_realloc_begin(void* old_block, std::size_t size) {
  if (ThreadState* thread = current_thread())
    write(*thread,
          wire::ReallocBegin{.address = reinterpret_cast<std::uint64_t>(old_block), .bytes = size});
}

template <BlockOf kOf>
[[gnu::always_inline]] inline void record_resized(void* block,
                                                  std::size_t size,
                                                  const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const std::uint32_t stack = take_stack_of(*thread, size, caller);
  // realloc(p, 0) of glibc frees and returns null: that is no failure.
  if (block == nullptr && size != 0) {
    write(*thread, wire::ReallocFailed{.bytes = size, .stack = stack});
    return;
  }
  write(*thread, wire::ReallocEnd{.address = reinterpret_cast<std::uint64_t>(block),
                                  .bytes = size,
                                  .stack = stack,
                                  .slack = block != nullptr ? slack_of<kOf>(block, size) : 0});
}

[[gnu::noinline]] inline void record_realloc_end(void* block,
                                                 std::size_t size,
                                                 const unwind::FrameState& caller) {
  record_resized<BlockOf::kHeap>(block, size, caller);
}

[[gnu::noinline]] inline void record_named_realloc_end(void* block,
                                                       std::size_t size,
                                                       const unwind::FrameState& caller) {
  record_resized<BlockOf::kNamed>(block, size, caller);
}

}  // namespace tidemark::preload
