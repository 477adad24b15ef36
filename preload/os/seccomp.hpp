/// What a program's own seccomp filters leave of the system calls that this object makes.
///
/// A filter may end the process, or raise a signal, for a call that it does not know: also for one
/// of ours. So each filter is run here over our calls as the kernel would run it
/// (Documentation/userspace-api/seccomp_filter.rst; linux/bpf_common.h), before it is installed,
/// and what it does not let pass is done without. Seen are filters that are installed through libc
/// (prctl, syscall), by this image or by one that it was exec'd from.
#pragma once

#include <atomic>
#include <cstdint>

struct sock_fprog;

namespace tidemark::preload {

/// What may be done, a bit each.
enum Ability : std::uint32_t {
  kMayWait = 1,             ///< Sleep until the collector has read, and wake it.
  kMayMap = 2,              ///< Get at more of the session: a new thread, a larger stack table.
  kMayAttach = 4,           ///< Become a process of the session.
  kMayAskKernel = 8,        ///< Whether a page is in memory.
  kMayLookAtFiles = 16,     ///< What a descriptor is, and its name.
  kMayPassDescriptor = 32,  ///< Keep one, and hand it to a program that is started.
  kMayReadClock = 64,       ///< Where the TSC will not do; else the last time stands still.
  kMayAskHowOpened = 128,   ///< Whether a descriptor can write.
  kMayAskPosition = 256,    ///< Where in its file it is.
  kMayAskIdentity = 512,    ///< Which process this is, in whatever pid namespace.
  kMayAskUsage = 1024,      ///< How many page faults it has had.
  kMayAskRings = 2048,      ///< What went through the rings of io_uring that it has.
  kMayReadBack = 4096,      ///< Read its own memory where that may not be readable.
  kEveryAbility = 8191,
};
extern constinit std::atomic<std::uint32_t> g_abilities;

inline bool may(Ability ability) {
  return (g_abilities.load(std::memory_order_relaxed) & ability) != 0;
}

/// What was taken away for a filter that is about to be installed.
struct NotedFilter {
  std::uint32_t before;
  std::uint32_t after;
};
/// Takes away what `program` would not let pass. Called before it is installed.
NotedFilter note_filter(const sock_fprog* program);
/// The same for SECCOMP_MODE_STRICT, which lets nothing of ours pass.
NotedFilter note_strict_mode();
/// Installing it failed: gives back what was taken away, unless another thread has noted a filter
/// of its own meanwhile. Fewer abilities than there could be are the safe side.
void forget_filter(const NotedFilter& noted);

/// sys::futex_wait as far as that is allowed; else a moment in a loop.
void wait_on(const void* word, std::uint32_t expected, long timeout_ns);
void wake(const void* word);

}  // namespace tidemark::preload
