/// memcpy, memmove, memset and mempcpy for the time before libc's own are known. They need no
/// relocation, so they can be called from the first instruction of the process on.
#pragma once

#include <cstddef>

#define TIDEMARK_HIDDEN extern "C" __attribute__((visibility("hidden")))

/// As memmove. memcpy, too.
TIDEMARK_HIDDEN void* tidemark_early_copy(void* to, const void* from, std::size_t bytes);
/// As memset.
TIDEMARK_HIDDEN void* tidemark_early_fill(void* to, int value, std::size_t bytes);
/// As mempcpy.
TIDEMARK_HIDDEN void* tidemark_early_copy_end(void* to, const void* from, std::size_t bytes);
