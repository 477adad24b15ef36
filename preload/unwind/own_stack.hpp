/// Which stack the calling thread is on.
#pragma once

#include <cstdint>

namespace tidemark::unwind {

/// End (highest address) of the thread's own stack if `sp` is on it: glibc puts the thread block at
/// the top of a thread's stack, and ld.so exports where the main thread's begins. 0 for any other
/// stack, such as a coroutine's or a signal handler's.
std::uint64_t own_stack_end(std::uint64_t sp);

}  // namespace tidemark::unwind
