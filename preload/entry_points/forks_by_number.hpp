/// Forks that are called by number, through `syscall`.
#pragma once

namespace tidemark::preload {

/// Makes the call, and records the child as a fork is recorded.
/// @param number SYS_fork; or SYS_clone without CLONE_VM and without a stack of its own.
long fork_by_number(long number, const long (&arguments)[6]);

}  // namespace tidemark::preload
