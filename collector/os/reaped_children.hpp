/// Whether the kernel's resource usage of a process includes that of children.
#pragma once

#include <sys/types.h>

namespace tidemark {

/// True when `pid` has waited for a child: the kernel then counts that child's peak, and its
/// children's, in the `ru_maxrss` of `pid`. Works for an ended process until somebody waits for it.
/// False when there is no such process.
bool has_reaped_children(pid_t pid);

}  // namespace tidemark
