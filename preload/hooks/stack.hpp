/// The stack of a hook's caller, as a node of the process's stack table.
#pragma once

#include "preload/session/thread.hpp"
#include "preload/unwind/walker.hpp"

#include <cstdint>

/// The frame that called the function in which this stands. That function gets a frame pointer from
/// it; it must not be inlined, so it stands in entry points only.
#define TIDEMARK_CALLER                                                                           \
  (tidemark::unwind::FrameState{reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),     \
                                reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16, \
                                *static_cast<const std::uint64_t*>(__builtin_frame_address(0))})

namespace tidemark::preload {

/// @return kNoNode when stacks are switched off.
std::uint32_t take_stack(ThreadState& thread, const unwind::FrameState& caller);

/// For a heap allocation below `stacks_above`. @return kUnsampledStack where no sample point falls
/// into it, and kNoNode where such ones have no stack at all.
std::uint32_t take_stack_of_small(ThreadState& thread,
                                  std::uint64_t bytes,
                                  const unwind::FrameState& caller);

/// For a heap allocation of `bytes`.
inline std::uint32_t take_stack_of(ThreadState& thread,
                                   std::uint64_t bytes,
                                   const unwind::FrameState& caller) {
  if (bytes < thread.stacks_above) [[unlikely]]
    return take_stack_of_small(thread, bytes, caller);
  return take_stack(thread, caller);
}

/// Once libc is up, and only where stacks are to be taken by libunwind, or compared with it: loads
/// it. What it does below a hook (thread-locals of its own, locks) is not safe in every host.
void load_libunwind();

}  // namespace tidemark::preload
