/// What stands in a process's memory.
#pragma once

#include <cstddef>
#include <span>

#include <sys/types.h>
#include <sys/uio.h>

namespace tidemark {

/// Copies pieces of its memory, one behind the other. A page that was never touched gets memory by
/// that: ask PageMap before.
/// @param pieces addresses there; 1,024 at most.
/// @return how many bytes were copied: what comes from the first piece on that is not there, or may
/// not be read, is missing.
std::size_t copy_from_process(pid_t pid, std::span<const iovec> pieces, std::span<std::byte> into);

}  // namespace tidemark
