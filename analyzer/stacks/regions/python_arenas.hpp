/// Which mappings are arenas of CPython's allocator of small objects (pymalloc): their stacks name
/// the line that was short of an arena, not those whose objects are in it.
///
/// All arenas are mapped by one instruction of the interpreter. It is known by the function that it
/// is in; in an interpreter without such names by the first arena, which is mapped while the
/// interpreter is made ready, before any Python code has run. So nothing else of that size is
/// taken for one: no `mmap.mmap(-1, 1 << 20)`, whatever module it is in, and no other program's.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>

namespace tidemark::analyzer {

struct PythonArenas {
  std::uint64_t bytes = 0;
  trace::StackId largest = trace::kNoStack;  ///< The stack that mapped most of them,
  std::uint64_t largest_bytes = 0;           ///< and what these take.
};

/// False where a live set has none for certain: a quick look.
bool may_have_python_arenas(const LoadedTrace& trace);

/// Those of all processes, whatever frames `trace` shows.
PythonArenas python_arenas(const LiveSet& live, const LoadedTrace& trace);

}  // namespace tidemark::analyzer
