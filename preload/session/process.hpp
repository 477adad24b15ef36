/// This process's place in the session: found in the environment at the first hook, found again
/// after a fork, given up when the collector is gone.
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
  static constexpr std::uint32_t kRefused = 3;  ///< No place was left. A forked child tries again.

  std::atomic<std::uint32_t> attached;        ///< 0 in a fresh child, else one of those above.
  std::uint32_t slot;                         ///< Index of our ProcessSlot.
  std::atomic<std::uint32_t> announced_self;  ///< 1: kProcessBegin is written.
  std::atomic<std::uint32_t> threads;         ///< Starts of threads so far.
  std::atomic<bool> enlarging;  ///< The stack table; stays true where there was no memory for it.
  /// A list that only grows: the states of threads that live or have lived.
  std::atomic<ThreadState*> thread_states;
  std::atomic<ThreadState*> next_look;  ///< Where the search for an ended thread goes on.
  /// Modules that the collector was told of: hash table of (begin of mapping | epoch's low bits).
  std::atomic<std::uint64_t> announced[kMaxAnnouncedModules];
  /// What a descriptor is, so that a read of a socket costs one look. Beyond the table each use
  /// asks. A child tells the collector anew of the files that it inherits.
  std::atomic<Descriptor> descriptors[kMaxDescriptors];
};

extern constinit std::atomic<Attachment> g_attachment;
extern constinit wire::SessionMap g_session;
extern constinit ProcessState* g_process;
/// This process's stack table, as far as it is mapped.
extern constinit std::atomic<const wire::StackTable*> g_stack_table;
/// Counts dlclose: code addresses may mean other code from then on. Every cache by address checks
/// it. Starts at 1, so that a zeroed cache is out of date.
extern constinit std::atomic<std::uint32_t> g_module_epoch;

inline wire::ControlPage& control() {
  return g_session.control();
}
inline wire::ProcessSlot& process_slot() {
  return g_session.process(g_process->slot);
}

/// Makes sure that this process, not an ancestor, is attached. Signals must be blocked.
/// @return false when it is detached.
bool ensure_attached();

/// Right before a fork, for the child's ProcessSlot. Async-signal-safe.
void note_faults_before_fork();

/// Maps the whole of the stack table, whose small window is full.
/// @return false where it is mapped already, or cannot be.
bool enlarge_stack_table();

/// True once the collector has died or has ended the session; detaches then.
bool detach_if_abandoned();

}  // namespace tidemark::preload
