/// Copies bytes out of another process's memory.
#pragma once

#include <cstddef>
#include <span>

#include <sys/types.h>
#include <sys/uio.h>

namespace tidemark {

/// Copies pieces of its memory, concatenated. Reading a page that was never touched allocates it:
/// check with PageMap before.
/// @param pieces addresses there; 1,024 at most.
/// @return how many bytes were copied; copying stops at the first byte that is not mapped or not
/// readable.
std::size_t copy_from_process(pid_t pid, std::span<const iovec> pieces, std::span<std::byte> into);

}  // namespace tidemark
