/// The calling thread's place in the session: its ring and its caches.
#pragma once

#include "preload/session/stack_sampler.hpp"
#include "preload/session/thread_watch.hpp"
#include "preload/unwind/walker.hpp"
#include "preload/wire/ring.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Longest text of a record: paths, names, a process's arguments. Longer ones are cut.
constexpr std::size_t kMaxTextBytes = 4096;

/// Small reads that are not recorded yet: see wire::GatheredReads.
struct GatheredReads {
  int descriptor;             ///< Means something once `next` is not 0.
  std::uint64_t begin;        ///< Where the last one went,
  std::uint64_t next;         ///< and where the one after it would go.
  std::uint64_t destination;  ///< Of the first that is not recorded.
  std::uint64_t bytes;        ///< Of those that are not.
};

/// Lives in memory that a fork wipes: the child's thread finds `ring` null and starts anew, so it
/// never writes into its parent's ring. It outlives its thread, for the next one to take over, ring
/// and all.
struct ThreadState {
  wire::RingHeader* ring;  ///< nullptr: not started, inside tidemark's own calls, or detached.
  /// The ring claimed last; never null again. A record under way, which asked for `ring` before a
  /// detach, still looks here.
  wire::RingHeader* header;
  wire::Slot* slots;
  std::uint64_t limit;  ///< Positions below it are free: up to it, nobody is asked.
  /// Smaller heap allocations go another way: they have no stack, or only some of them have.
  std::uint64_t stacks_above;
  StackSampler sampler;
  std::uint32_t tid;
  bool internal;  ///< Inside an InternalScope: hooks pass through.
  ThreadWatch watch;
  ThreadState* next_state;  ///< Of ProcessState::thread_states. Never changes once set.
  const void* pthread;      ///< Its thread's pthread_t.
  std::uint64_t
      walking;  ///< Stack pointer of the walk in progress, which a handler must not re-enter.
  GatheredReads gathered;
  unwind::WalkContext context;
  unwind::Walker walker;
  void* found[unwind::kMaxUnwindDepth];             ///< libunwind's answer.
  std::uint64_t found_at[unwind::kMaxUnwindDepth];  ///< Stack pointers of those frames.
  char text[kMaxTextBytes];                         ///< Of a record that is put together.
};

/// Initial-exec and without a destructor: no allocation, no call, one instruction to read.
extern constinit thread_local ThreadState* t_thread;

}  // namespace tidemark::preload
