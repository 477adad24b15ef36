/// Forks that are called by number, through `syscall`, and what leads a process or its children
/// away from the /proc of the collector: bwrap clones into its namespaces so.
#pragma once

#include <sched.h>
#include <sys/syscall.h>

namespace tidemark::preload {

/// Makes the call, and records the child as a fork is recorded.
/// @param number SYS_fork; or SYS_clone or SYS_clone3 where `before_clone_by_number`.
long fork_by_number(long number, const long (&arguments)[6]);

/// Before SYS_clone or SYS_clone3 by number: what leads to the collector is kept, where that child
/// is confined. @return whether it goes on with a copy of this memory, on a copy of this stack.
bool before_clone_by_number(long number, long first, long second);

/// Another root, user or namespace.
constexpr long kConfiningNumbers[] = {SYS_unshare,  SYS_setns,    SYS_chroot,    SYS_pivot_root,
                                      SYS_setuid,   SYS_setreuid, SYS_setresuid, SYS_setgid,
                                      SYS_setregid, SYS_setresgid};

/// Makes the call, one of these. What leads to the collector is kept before.
long confine_by_number(long number, const long (&arguments)[6]);

/// Whether a child of clone has another /proc with these flags, or may ask less of this one.
constexpr bool is_confining(unsigned long clone_flags) {
  return (clone_flags & (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS)) != 0;
}

}  // namespace tidemark::preload
