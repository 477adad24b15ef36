/// The heap lane: what is recorded before and after each allocation call.
#pragma once

#include "preload/hooks/real.hpp"
#include "preload/hooks/stack.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Whose block it is: that of the allocator behind malloc, or of one called by its own names.
enum class BlockOf : std::uint8_t { kHeap, kNamed };

/// Usable minus requested bytes, in 32 bits; 0 for a block of a foreign allocator. Those are never
/// asked: tcmalloc's malloc_usable_size allocates at its first call, and others may take a lock.
template <BlockOf kOf>
std::uint32_t slack_of(void* block, std::size_t size) {
  if (kOf == BlockOf::kNamed || !real::g_heap_is_libc) [[unlikely]]
    return 0;
  const std::size_t usable = real::malloc_usable_size(block);
  return usable > size ? static_cast<std::uint32_t>(usable - size) : 0;
}

/// Bytes requested from the aligned operator new in progress, 0 outside of one. libstdc++'s rounds
/// the size up to a multiple of the alignment before it calls our aligned_alloc.
extern constinit thread_local std::size_t t_aligned_request;

/// What to record for a real aligned allocation of `size` bytes.
inline std::size_t take_aligned_request(std::size_t alignment, std::size_t size) {
  const std::size_t request = t_aligned_request;
  if (request == 0) [[likely]]
    return size;
  t_aligned_request = 0;
  // The request may be another one, left by a signal handler in between.
  return request <= size && size - request < alignment ? request : size;
}

/// After the real call: the address is not known earlier, and nobody can have freed it yet.
/// @param block The real function's result; nullptr makes this a failed request.
template <BlockOf kOf>
[[gnu::always_inline]] inline void record_block(void* block,
                                                std::size_t size,
                                                const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) [[unlikely]]
    return;
  // Read before the stack is taken, so that the processor overlaps the two.
  const std::uint64_t ticks = now_ticks();
  const std::uint32_t stack = capture_stack_of(*thread, size, caller);
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

/// The same for an allocator called by its own names.
inline void record_named_allocation(void* block,
                                    std::size_t size,
                                    const unwind::FrameState& caller) {
  record_block<BlockOf::kNamed>(block, size, caller);
}

/// Smallest block whose resident pages are counted before it is freed.
constexpr std::size_t kLastLookBytes = std::size_t{1} << 20U;
/// Largest such block: for untouched memory, counting takes 0.4 us per MiB and the release nothing.
constexpr std::size_t kMaxLookedAtBytes = std::size_t{64} << 30U;

/// Whether libc may have given this block a mapping of its own, as it does for large ones. Such a
/// block begins 16 bytes after a page boundary, or at the next multiple of its alignment.
inline bool begins_as_mapped(const void* block) {
  const std::uint64_t in_page = reinterpret_cast<std::uint64_t>(block) % wire::kPageBytes;
  return (in_page & (in_page - 1)) == 0;
}

/// Whether libc did: bit 1 of the word before the block (IS_MMAPPED in glibc's malloc.c, in every
/// version). Always false for a heap that is not libc's.
inline bool is_mapped_by_libc(const void* block) {
  constexpr std::size_t kIsMapped = 2;
  return real::g_heap_is_libc && (static_cast<const std::size_t*>(block)[-1] & kIsMapped) != 0;
}

/// record_free for a block with its own mapping: if it is large, also records how much of it is
/// resident. The collector, looking from outside, would come too late. For each resident page the
/// release itself costs the kernel several times as much.
void record_last_look_and_free(ThreadState& thread, void* block);

/// Before the real call: once the allocator has the block, another thread may be given its address
/// and record that first.
[[gnu::always_inline]] inline void record_free(void* block) {
  if (block == nullptr)
    return;
  // libc's free reads the word before the block next. When blocks are freed in no particular order
  // it is in no cache: prefetched here, it arrives while the time stamp is taken.
  __builtin_prefetch(static_cast<const std::size_t*>(block) - 1);
  if (ThreadState* thread = current_thread()) {
    if (begins_as_mapped(block) && is_mapped_by_libc(block)) [[unlikely]]
      record_last_look_and_free(*thread, block);
    else
      write(*thread, wire::Free{.address = reinterpret_cast<std::uint64_t>(block)});
  }
}

/// The same for another allocator's block, which has no libc header to look at.
[[gnu::noinline]] inline void record_named_free(void* block) {
  if (block == nullptr)
    return;
  if (ThreadState* thread = current_thread())
    write(*thread, wire::Free{.address = reinterpret_cast<std::uint64_t>(block)});
}

/// A realloc leaves two records. The first, before the real call, says that another thread may get
/// the old address from now on; the second, after it, gives the result. The collector sets the old
/// block aside in between and makes one event of both, at the time of the second; if the call
/// failed, it puts the old block back.
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
  const std::uint32_t stack = capture_stack_of(*thread, size, caller);
  // glibc's realloc(p, 0) frees and returns null, which is no failure.
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
