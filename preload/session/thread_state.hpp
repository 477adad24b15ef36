/// The calling thread's place in the session: its ring and its caches.
#pragma once

#include "preload/session/stack_sampler.hpp"
#include "preload/session/thread_watch.hpp"
#include "preload/unwind/walker.hpp"
#include "preload/wire/ring.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Longest text of a record (paths, names, a process's arguments). Longer texts are cut.
constexpr std::size_t kMaxTextBytes = 4096;

/// Small reads that are not recorded yet: see wire::GatheredReads.
struct GatheredReads {
  int descriptor;             ///< Valid once `next` is not 0.
  std::uint64_t begin;        ///< Where the last one went,
  std::uint64_t next;         ///< and where the one after it would go.
  std::uint64_t destination;  ///< Where the first unrecorded read went.
  std::uint64_t bytes;        ///< Read in total and not recorded yet.
};

/// Lives in memory that a fork wipes: the child's thread finds `ring` null and attaches again, so
/// it never writes into its parent's ring. It outlives its thread; the next thread to start takes
/// it over, including its ring.
struct ThreadState {
  wire::RingHeader* ring;  ///< nullptr: not started, inside tidemark's own calls, or detached.
  /// The ring claimed last; once set, never null. A record in progress that checked `ring` before a
  /// detach still uses it.
  wire::RingHeader* header;
  wire::Slot* slots;
  std::uint64_t limit;  ///< Positions below it are free to use without a check.
  /// Smaller heap allocations take the slow path: none or only some of them get a stack.
  std::uint64_t stacks_above;
  StackSampler sampler;
  std::uint32_t tid;
  bool internal;  ///< Inside an ReentrancyGuard: hooks pass through.
  ThreadWatch watch;
  ThreadState* next_state;  ///< Link of ProcessState::thread_states. Never changes once set.
  const void* pthread;      ///< Its thread's pthread_t.
  std::uint64_t
      walking;  ///< Stack pointer of the walk in progress, which a handler must not re-enter.
  GatheredReads gathered;
  unwind::WalkContext context;
  unwind::Walker walker;
  void* found[unwind::kMaxUnwindDepth];             ///< libunwind's answer.
  std::uint64_t found_at[unwind::kMaxUnwindDepth];  ///< Stack pointers of those frames.
  char text[kMaxTextBytes];  ///< Buffer for the record being built: see with_text.
};

/// Initial-exec and without a destructor: no allocation, no call, one instruction to read.
extern constinit thread_local ThreadState* t_thread;

}  // namespace tidemark::preload
