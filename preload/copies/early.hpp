/// memcpy, memmove, memset and mempcpy for use until libc's own have been looked up. They need no
/// relocation, so they can be called from the process's first instruction on.
#pragma once

#include <cstddef>

#define TIDEMARK_HIDDEN extern "C" __attribute__((visibility("hidden")))

/// Like memmove; also stands in for memcpy.
TIDEMARK_HIDDEN void* tidemark_early_copy(void* to, const void* from, std::size_t bytes);
/// As memset.
TIDEMARK_HIDDEN void* tidemark_early_fill(void* to, int value, std::size_t bytes);
/// As mempcpy.
TIDEMARK_HIDDEN void* tidemark_early_copy_end(void* to, const void* from, std::size_t bytes);
