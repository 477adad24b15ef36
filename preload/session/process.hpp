/// This process's membership in the session: set up from the environment at the first hook, again
/// after a fork, and given up when the collector is gone.
#pragma once

#include "preload/wire/session.hpp"

#include <atomic>
#include <cstdint>

namespace tidemark::preload {

enum class Attachment : std::uint32_t {
  kUnknown = 0,  ///< No hook ran yet.
  kAttached,
  kDetached,  ///< For good: no session, another protocol, or the collector is gone.
};

struct ThreadState;

enum class Descriptor : std::uint8_t { kUnknown = 0, kRegularFile, kOther };

/// What a forked child must not inherit. Lives in memory that the kernel wipes in the child
/// (MADV_WIPEONFORK), so that any kind of fork, a bare clone too, is noticed at the child's first
/// record.
struct ProcessState {
  static constexpr std::uint32_t kMaxAnnouncedModules = 4096;
  static constexpr int kMaxDescriptors = 4096;
  static constexpr std::uint32_t kAttaching = 1;
  static constexpr std::uint32_t kAttachedHere = 2;
  static constexpr std::uint32_t kRefused = 3;  ///< See wire::Refusal. A forked child tries again.

  std::atomic<std::uint32_t> attached;        ///< 0 in a fresh child, else one of those above.
  std::uint32_t slot;                         ///< Index of our ProcessSlot.
  std::atomic<std::uint32_t> announced_self;  ///< 1: kProcessBegin is written.
  std::atomic<std::uint32_t> threads;         ///< Threads started so far.
  std::atomic<bool> enlarging;  ///< The stack table; stays true if that failed for lack of memory.
  /// Append-only list of the states of all threads, live or ended.
  std::atomic<ThreadState*> thread_states;
  std::atomic<ThreadState*> next_look;  ///< Where the search for an ended thread goes on.
  /// Modules announced to the collector: hash table of (begin of mapping | epoch's low bits).
  std::atomic<std::uint64_t> announced[kMaxAnnouncedModules];
  /// What each descriptor is, so that a read from a socket costs one look-up. Descriptors beyond
  /// the table are asked about at every use. Wiped in a child, which announces inherited files
  /// again.
  std::atomic<Descriptor> descriptors[kMaxDescriptors];
};

extern constinit std::atomic<Attachment> g_attachment;
extern constinit wire::SessionMap g_session;
extern constinit ProcessState* g_process;
/// The first window of this process's stack table. It stays mapped behind the whole table.
extern constinit wire::StackTable g_small_table;
/// This process's stack table, as far as it is mapped.
extern constinit std::atomic<const wire::StackTable*> g_stack_table;
/// Counts dlclose calls, after which an address may belong to other code. Every cache keyed by code
/// address checks it. Starts at 1, so that a zeroed cache is out of date.
extern constinit std::atomic<std::uint32_t> g_module_epoch;

inline wire::ControlBlock& control() {
  return g_session.control();
}
inline wire::ProcessSlot& process_slot() {
  return g_session.process(g_process->slot);
}

/// Whether the caller is a vfork child, which borrows this process's memory, this object's
/// variables with it, but has descriptors of its own. One system call.
bool is_vfork_child();

/// Makes sure that this process, not an ancestor, is attached. Signals must be blocked.
/// @return false when it is detached.
bool ensure_attached();

/// A seccomp filter keeps this process from attaching, if it has not done so: counts it, once.
/// Makes no system call, and may be interrupted by a handler that calls it, too.
/// @return whether the process is attached all the same, from before the filter.
bool is_attached_despite_filter();

/// Right before a fork: keeps this process's page faults for the child's ProcessSlot.
/// Async-signal-safe.
void note_faults_before_fork();

/// Maps the whole stack table when its small window is full.
/// @return false if it is mapped already or cannot be mapped.
bool enlarge_stack_table();

/// True once the collector has died or has ended the session; detaches then.
bool detach_if_abandoned();

}  // namespace tidemark::preload
