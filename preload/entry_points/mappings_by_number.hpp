/// Mappings that are called by number, through `syscall`: SBCL makes its whole heap so.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <sys/syscall.h>

namespace tidemark::preload {

/// The numbers that `map_by_number` takes.
constexpr long kMappingNumbers[] = {SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise};

/// Makes the call, and records it as the function of its name is recorded.
long map_by_number(long number, const long (&arguments)[6], const unwind::FrameState& caller);

}  // namespace tidemark::preload
