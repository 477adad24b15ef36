/// Finds a thread-local variable that has no symbol, by decoding the function that returns its
/// value.
///
/// From Python 3.15 on, a thread's PyThreadState is in a thread-local variable of the interpreter,
/// not under a key. PyGILState_GetThisThreadState returns it, but calling that may allocate: so its
/// few instructions are decoded, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::python {

/// Distances from the thread pointer are negative, so 0 stands for none.
constexpr std::int64_t kNoDistance = 0;

/// @param code of a function that returns the value of one thread-local variable. Understands the
/// sequences that compilers write for the local-exec, initial-exec and general-dynamic models
/// (Drepper, "ELF Handling For Thread-Local Storage", 4.1 to 4.4).
/// @return the variable's distance from the thread pointer, the same in every thread; kNoDistance
/// for other code, or if the variable's module was loaded after program start: then the distance
/// differs between threads.
std::int64_t find_thread_local(std::span<const std::byte> code);

}  // namespace tidemark::python
