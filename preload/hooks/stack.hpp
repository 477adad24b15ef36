/// The stack of a hook's caller, as a node of the process's stack table.
#pragma once

#include "preload/session/thread.hpp"
#include "preload/unwind/walker.hpp"

#include <cstdint>

/// The frame that called the function that uses this. Using it forces a frame pointer in that
/// function, which must not be inlined: for entry points only.
#define TIDEMARK_CALLER                                                                           \
  (tidemark::unwind::FrameState{reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),     \
                                reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16, \
                                *static_cast<const std::uint64_t*>(__builtin_frame_address(0))})

namespace tidemark::preload {

/// @return kNoNode when stacks are switched off.
std::uint32_t capture_stack(ThreadState& thread, const unwind::FrameState& caller);

/// For a heap allocation below `stacks_above`. @return kUnsampledStack if no sample point falls
/// into it; kNoNode if small allocations get no stacks at all.
std::uint32_t capture_stack_of_small(ThreadState& thread,
                                     std::uint64_t bytes,
                                     const unwind::FrameState& caller);

/// For a heap allocation of `bytes`.
inline std::uint32_t capture_stack_of(ThreadState& thread,
                                      std::uint64_t bytes,
                                      const unwind::FrameState& caller) {
  if (bytes < thread.stacks_above) [[unlikely]]
    return capture_stack_of_small(thread, bytes, caller);
  return capture_stack(thread, caller);
}

/// Loads libunwind, once libc is up, if stacks are to be taken by it or compared with it. What
/// libunwind does below a hook (its own thread-locals, locks) is not safe in every host.
void load_libunwind();

}  // namespace tidemark::preload
