/// Writing to a descriptor whatever interrupts it.
#pragma once

#include <cstddef>

namespace tidemark::trace {

/// Writes all of it, goes on behind a signal, and waits where a non-blocking descriptor is full.
/// Allocates nothing.
/// @return 0, or the error number: then a part may have been written.
int write_all(int descriptor, const void* bytes, std::size_t size);

}  // namespace tidemark::trace
