/// Where each thread has a variable that no symbol names, as the code of a function has it that
/// gives its value.
///
/// From Python 3.15 on, a thread finds its PyThreadState in a thread-local variable of the
/// interpreter, not by a key. PyGILState_GetThisThreadState gives its value, but a call of it may
/// allocate: so the few instructions that it is made of are read, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::python {

/// Distances from the thread pointer, which are negative, and never 0.
constexpr std::int64_t kNoDistance = 0;

/// @param code of a function that returns the value of one thread-local variable. Known are the
/// ways of the local-exec, initial-exec and general-dynamic models (Drepper, "ELF Handling For
/// Thread-Local Storage", 4.1 to 4.4) that compilers write.
/// @return the variable's distance from the thread pointer, in every thread; kNoDistance where the
/// code is of another kind, or the variable is of a module that was loaded later: then it is
/// somewhere else in each thread.
std::int64_t find_thread_local(std::span<const std::byte> code);

}  // namespace tidemark::python
