/// Processes that this one has forked: their beginning and their end.
#pragma once

#include <cstdint>

struct rusage;

namespace tidemark::preload {

/// Right before a fork.
void before_fork();

/// In the child, right after the fork: attaches it to the session now, since it may never call
/// another hook: it may just write inherited memory and exit.
void record_fork();

/// What clone is asked for.
struct CloneArguments {
  unsigned long flags = 0;
  unsigned long stack = 0;  ///< The child's; 0: it gets a copy of its parent's.
};
/// The clone3 arguments of `bytes` bytes at `address`, which need not be readable. If the kernel
/// will refuse them or they cannot be read, returns those of a child that shares this memory.
CloneArguments read_clone_arguments(long address, unsigned long bytes);

/// The kernel's answer, never a cached one.
std::uint32_t process_id();

/// Page faults of all children that were waited for; 0: unknown.
unsigned long faults_of_children();

/// After any kind of wait that reported the end of `child`; 0 if it does not say which child.
/// @param usage of that child; null where the call does not return it.
void record_end(int child, const rusage* usage);

}  // namespace tidemark::preload
