/// Which stack the calling thread is on.
#pragma once

#include <cstdint>

namespace tidemark::unwind {

/// End (highest address) of the thread's own stack when `sp` is on it: glibc puts the thread block
/// at the top of a thread's stack, the kernel puts the main thread's stack where ld.so says. 0 for
/// a stack that we know nothing about: a coroutine's, a signal's.
std::uint64_t own_stack_end(std::uint64_t sp);

}  // namespace tidemark::unwind
