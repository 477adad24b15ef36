/// Python code objects, announced to the collector when their first frame appears in a stack.
#pragma once

#include "preload/python/runtime.hpp"

#include <cstdint>

namespace tidemark::preload {

/// Writes kCode and its line table before the record whose stack needs it. Copies what it reads,
/// since the object may be gone when the collector reads the records.
/// @param code a live code object, of a frame on this thread's stack.
/// @return its number; 0 when all numbers are used up.
std::uint32_t tell_code(std::uint64_t code, const python::Runtime& runtime);

}  // namespace tidemark::preload
