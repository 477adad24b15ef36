/// Processes that this one has forked: their beginning and their end.
#pragma once

#include <cstdint>

struct rusage;

namespace tidemark::preload {

/// Right before a fork.
void before_fork();

/// In the child, once it is there: it comes into the session now. It may only ever write what it
/// has from its parent, and end.
void record_fork();

/// What clone is asked for.
struct CloneArguments {
  unsigned long flags = 0;
  unsigned long stack = 0;  ///< Of the child; 0: a copy of its parent's.
};
/// What clone3 is asked for by `bytes` at `address`, wherever that may be. Where the kernel will
/// refuse it, or it cannot be known: a child that shares this memory.
CloneArguments read_clone_arguments(long address, unsigned long bytes);

/// As the kernel has it at this moment.
std::uint32_t own_pid();

/// Page faults of all children that were waited for; 0: unknown.
unsigned long faults_of_children();

/// After a wait, of whatever kind, that told the end of `child`. 0: of one that it does not name.
/// @param usage of that child; null where the call does not tell it.
void record_end(int child, const rusage* usage);

}  // namespace tidemark::preload
