/// Forks made by number, through `syscall`, and calls that move a process or its children away from
/// the collector's /proc: bwrap clones into its namespaces this way.
#pragma once

#include <sched.h>
#include <sys/syscall.h>

namespace tidemark::preload {

/// Makes the call, and records the child as a fork is recorded.
/// @param number SYS_fork, or SYS_clone or SYS_clone3 if `before_clone_by_number` returned true.
long fork_by_number(long number, const long (&arguments)[6]);

/// Call before SYS_clone or SYS_clone3 by number. Keeps the session's descriptor if the child will
/// be confined. @return whether the child gets a copy of this memory and of this stack.
bool before_clone_by_number(long number, long first, long second);

/// Calls that change the root, the user or a namespace.
constexpr long kConfiningNumbers[] = {SYS_unshare,  SYS_setns,    SYS_chroot,    SYS_pivot_root,
                                      SYS_setuid,   SYS_setreuid, SYS_setresuid, SYS_setgid,
                                      SYS_setregid, SYS_setresgid};

/// Makes one of these calls, after keeping the session's descriptor.
long confine_by_number(long number, const long (&arguments)[6]);

/// Whether a clone with these flags gives the child another /proc, or fewer rights to this one.
constexpr bool is_confining(unsigned long clone_flags) {
  return (clone_flags & (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS)) != 0;
}

}  // namespace tidemark::preload
