/// Large copies and fills: how a model's bytes get from one block to the next.
#pragma once

#include "preload/hooks/stack.hpp"

#include <cstddef>

// Called by the object of preload/copies, which the dynamic linker loads after this one. Exported
// because those hooks live in a separate object: see its README.

/// After `bytes` bytes (at least wire::kLargeTouch) were copied. `caller` is borrowed.
extern "C" void tidemark_record_copy(const void* to,
                                     const void* from,
                                     std::size_t bytes,
                                     const tidemark::unwind::FrameState* caller);

/// After as many bytes were set to one value.
extern "C" void tidemark_record_fill(const void* to,
                                     std::size_t bytes,
                                     const tidemark::unwind::FrameState* caller);
