/// Mapping calls made by number, through `syscall`: SBCL allocates its whole heap this way.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <sys/syscall.h>

namespace tidemark::preload {

/// The numbers that `map_by_number` takes.
constexpr long kMappingNumbers[] = {SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise};

/// Makes the call, and records it like the libc function of the same name.
long map_by_number(long number, const long (&arguments)[6], const unwind::FrameState& caller);

}  // namespace tidemark::preload
