/// Recognises mappings that are arenas of CPython's allocator of small objects (pymalloc): their
/// stacks show the line that needed a new arena, not those whose objects are in it.
///
/// All arenas are mapped by one instruction of the interpreter. It is found by its function's name
/// or, in an interpreter without names, by the first arena, which is mapped during initialisation,
/// before any Python code has run. So nothing else of that size is mistaken for one: neither a
/// `mmap.mmap(-1, 1 << 20)` in any module, nor another program's mapping.
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

/// A quick check: false if a live set certainly has none.
bool may_have_python_arenas(const LoadedTrace& trace);

/// Those of all processes, whatever frames `trace` shows.
PythonArenas python_arenas(const LiveSet& live, const LoadedTrace& trace);

}  // namespace tidemark::analyzer
