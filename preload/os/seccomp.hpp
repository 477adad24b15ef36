/// Which of this object's system calls a program's own seccomp filters allow.
///
/// A filter may kill the process, or raise a signal, for a call that it does not know, including
/// ours. So, before a filter is installed, it is run here over our calls as the kernel would run it
/// (Documentation/userspace-api/seccomp_filter.rst; linux/bpf_common.h), and we stop making the
/// calls that it rejects. Only filters installed through libc (prctl, syscall) are seen, by this
/// image or by one that it was exec'd from.
#pragma once

#include <atomic>
#include <cstdint>

struct sock_fprog;

namespace tidemark::preload {

/// What we may still do, one bit each.
enum Ability : std::uint32_t {
  kMayWait = 1,               ///< Sleep until the collector has read, and wake it.
  kMayMap = 2,                ///< Map more of the session: for a new thread, a larger stack table.
  kMayAttach = 4,             ///< Become a process of the session.
  kMayAskKernel = 8,          ///< Ask whether a page is resident.
  kMayLookAtFiles = 16,       ///< Ask what a descriptor is, and its path.
  kMayPassDescriptor = 32,    ///< Keep one, and pass it to an exec'd program.
  kMayReadClock = 64,         ///< Needed if the TSC is unusable; else time stands still.
  kMayAskHowOpened = 128,     ///< Ask whether a descriptor is writable.
  kMayAskPosition = 256,      ///< Ask for a descriptor's file position.
  kMayAskIdentity = 512,      ///< Ask for a process identity valid in every pid namespace.
  kMayAskUsage = 1024,        ///< Ask for the process's page faults.
  kMayAskRings = 2048,        ///< Ask what went through its io_uring rings.
  kMayReadBack = 4096,        ///< Read own memory that may be unreadable.
  kMayLookAtPrograms = 8192,  ///< Read a program's file before it is started.
  kEveryAbility = 16383,
};
extern constinit std::atomic<std::uint32_t> g_abilities;

inline bool may(Ability ability) {
  return (g_abilities.load(std::memory_order_relaxed) & ability) != 0;
}

/// g_abilities before and after a filter that is about to be installed.
struct NotedFilter {
  std::uint32_t before;
  std::uint32_t after;
};
/// Removes the abilities whose calls `program` rejects. Called before it is installed, so that it
/// may be anything: what the kernel will refuse, nullptr among it, changes nothing.
NotedFilter note_filter(const sock_fprog* program);
/// The same for SECCOMP_MODE_STRICT, which allows none of our calls.
NotedFilter note_strict_mode();
/// Call when installing it failed: restores the abilities, unless another thread has noted a filter
/// meanwhile. Having too few is the safe side.
void forget_filter(const NotedFilter& noted);

/// sys::futex_wait if allowed; else spins for a moment.
void wait_on(const void* word, std::uint32_t expected, long timeout_ns);
void wake(const void* word);

}  // namespace tidemark::preload
