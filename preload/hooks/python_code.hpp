/// Python code objects: told to the collector when a frame of theirs is first met in a stack.
#pragma once

#include "preload/python/runtime.hpp"

#include <cstdint>

namespace tidemark::preload {

/// Writes kCode and its line table before the record whose stack needs it. Copies what it reads:
/// the object may be gone when the collector comes to it.
/// @param code a live code object, of a frame on this thread's stack.
/// @return its number; 0 where there is none left.
std::uint32_t tell_code(std::uint64_t code, const python::Runtime& runtime);

}  // namespace tidemark::preload
