/// Whether what the kernel says of a process's resources is of that process alone.
#pragma once

#include <sys/types.h>

namespace tidemark {

/// True when `pid` has waited for a child: the kernel then counts that child's peak, and its
/// children's, in the `ru_maxrss` of `pid`. A process that has ended may be asked about until
/// somebody waits for it. False when there is no such process.
bool has_reaped_children(pid_t pid);

}  // namespace tidemark
