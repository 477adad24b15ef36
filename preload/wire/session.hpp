/// The shared memory of one session, and how a host finds it.
///
///     [ control block | process slots | ring headers ][ block 0 ][ block 1 ] ...
///      control region                                 each: stack table | ring slots ...
///
/// It is a memfd of the collector, sparse and sealed to its size, so nothing can be left behind in
/// /dev/shm and there is no name that another user could open. A host maps the control region, its
/// own stack table and a ring for each of its threads, 6 MiB for a program with one thread. It
/// opens the file once, through /proc/COLLECTOR/fd/N. To map a later part, it duplicates the
/// control region's mapping with mremap, long enough to include that part, and unmaps the rest. If
/// address space is too short for that, the file is opened again. A forked child inherits the
/// control region; an exec'd image finds it through kSessionVariable again.
#pragma once

#include "preload/wire/ring.hpp"
#include "preload/wire/stack_table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::wire {

/// Raise it with any change of layout or meaning in this folder: a host of another version stays
/// detached.
constexpr std::uint32_t kProtocolVersion = 26;
constexpr std::uint64_t kSessionMagic = 0x6b72616d65646974;  // "tidemark"

/// "COLLECTOR_PID:DESCRIPTOR:COOKIE", decimal, decimal, hexadecimal. For a program that it starts,
/// a host may append ":ABILITIES", hexadecimal, what its seccomp filters still allow
/// (preload/os/seccomp.hpp), and then, decimal, up to three inherited descriptors, ":SESSION",
/// ":OBJECT", ":COPIES": of the session's file if /proc no longer leads to it, and of the objects
/// if their paths no longer do.
constexpr const char* kSessionVariable = "TIDEMARK_SESSION";
constexpr const char* kPreloadVariable = "LD_PRELOAD";

constexpr std::uint32_t kMaxProcesses = 1024;  ///< Alive at one time. Each has a block of the file.
/// Rings that a block adds to the pool shared by all processes: no limit for one process.
constexpr std::uint32_t kRingsPerBlock = 16;
constexpr std::uint32_t kMaxRings =
    kMaxProcesses * kRingsPerBlock;  ///< Threads alive at one time, all processes.

enum class Clock : std::uint32_t {
  kTsc = 0,        ///< Invariant and synchronised across cores here.
  kMonotonic = 1,  ///< clock_gettime(CLOCK_MONOTONIC) in ns.
};
enum class Overflow : std::uint32_t { kBlock = 0, kDrop = 1 };
enum class Unwinder : std::uint32_t {
  kFast = 0,
  kLibunwind = 1,
  kNone = 2,
  kFramePointer = 3,
  kCheck = 4,  ///< kFast, and each stack compared with libunwind's.
};

/// Bounds of ControlBlock::sample_bytes unless that is 0.
constexpr std::uint64_t kMinSampleBytes = std::uint64_t{1} << 10;
constexpr std::uint64_t kMaxSampleBytes = std::uint64_t{1} << 40;

/// ControlBlock::unread_python: one of these flags, plus major << 8 | minor if known.
constexpr std::uint32_t kUnreadPython = 1U << 31;
/// A build without the global lock, whose objects have another shape.
constexpr std::uint32_t kFreeThreadedPython = 1U << 30;

/// Why a process or a thread did not come into the session.
enum class Refusal : std::uint32_t {
  kNone = 0,
  kForbidden = 1,  ///< A seccomp filter forbids what that takes.
  kNoMemory = 2,   ///< No address space for its part of the session.
  kNoPlace = 3,    ///< All slots or rings are taken.
};
constexpr std::size_t kRefusals = 4;

/// How many were refused, by reason.
struct Refusals {
  std::atomic<std::uint64_t> counts[kRefusals];

  std::atomic<std::uint64_t>& of(Refusal why) { return counts[static_cast<std::size_t>(why)]; }
  [[nodiscard]] const std::atomic<std::uint64_t>& of(Refusal why) const {
    return counts[static_cast<std::size_t>(why)];
  }
};

struct ControlBlock {
  // Written by the collector before the first host starts.
  std::uint64_t magic;
  std::uint64_t cookie;  ///< Must equal the variable's: a reused pid is not our collector.
  std::uint32_t protocol_version;
  Clock clock;
  Overflow overflow;
  Unwinder unwinder;
  std::uint32_t depth_limit;    ///< Frames kept of a stack, innermost first.
  std::uint32_t record_files;   ///< 0: no file I/O records.
  std::uint32_t python_frames;  ///< 0: stacks have native frames alone.
  std::uint64_t stacks_above;   ///< Heap allocations of fewer bytes are recorded without a stack.
  /// Mean distance of sample points, in bytes. A heap allocation smaller than this gets a stack
  /// only if a sample point falls into it, else kUnsampledStack. 0: every one gets its stack.
  std::uint64_t sample_bytes;
  std::uint64_t began_unix_ns;  ///< In the clock of file time stamps.
  std::uint32_t blocks;         ///< 1 to kMaxProcesses; fewer under RLIMIT_FSIZE.

  /// glibc's robust, process-shared pthread_mutex_t, held by the collector for as long as it lives.
  /// Hosts only look at its first word: the kernel sets kOwnerDied there when the collector dies,
  /// even by SIGKILL.
  alignas(kCacheLineBytes) std::byte collector_lock[64];

  /// 1: hosts must detach. Written by the collector, or by a host that found it dead.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> ended;
  /// Futex: hosts raise it to wake a sleeping collector.
  std::atomic<std::uint32_t> doorbell;
  std::atomic<std::uint32_t> collector_sleeps;
  /// 1 + the CPU that the collector runs on, or waits for while a host's thread uses it; 0:
  /// unknown.
  std::atomic<std::uint32_t> collector_cpu;

  /// 1: a thread waits for space in its ring, or soon will. Set by hosts, cleared by the collector
  /// after each pass.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> space_wanted;

  // Written by hosts.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> rings_used;  ///< Highest index so far + 1.
  std::atomic<std::uint32_t> processes_used;
  Refusals processes_refused;
  Refusals threads_refused;
  /// A Python interpreter that cannot be read: see kUnreadPython. 0: none was found.
  std::atomic<std::uint32_t> unread_python;
  /// 1: a library was opened with RTLD_DEEPBIND, and finds libc's functions before ours.
  std::atomic<std::uint32_t> deep_bound;
  std::atomic<std::uint64_t> stacks_compared;   ///< kCheck only: ours with libunwind's.
  std::atomic<std::uint64_t> stacks_different;  ///< How many of these differed.
  /// How many of these were equal up to where libunwind's ended, in code without unwind tables;
  /// ours goes on by frame pointers, or reports that frames are missing.
  std::atomic<std::uint64_t> stacks_ended_early;
  /// Bytes requested through rings from files registered with the ring, whose descriptors are
  /// unknown.
  std::atomic<std::uint64_t> reads_unfollowed;
};
constexpr std::uint32_t kOwnerDied = 0x40000000;  // FUTEX_OWNER_DIED, linux/futex.h
static_assert(sizeof(ControlBlock) <= 4096, "fits its page");

enum class ProcessState : std::uint32_t { kFree = 0, kAlive = 1, kDraining = 2 };
enum class Origin : std::uint32_t { kStarted = 0, kForked = 1 };

/// Magic number of the pidfd file system, whose inodes are ProcessSlot::identity (PID_FS_MAGIC,
/// linux/magic.h). Before Linux 6.9 all pidfds share one inode, of another file system.
constexpr long kPidFileSystem = 0x50494446;

/// One claim of a ProcessSlot: its index, and its generation at that time.
struct ProcessClaim {
  std::uint32_t slot;
  std::uint32_t generation;  ///< 0: none.
};

/// One process image of the session. `state` goes kFree -> kAlive by the host's CAS, and back by
/// the collector after the process has ended and its records were read. The host writes the rest.
struct ProcessSlot {
  alignas(kCacheLineBytes) std::atomic<ProcessState> state;
  std::uint32_t pid;
  std::uint32_t parent_pid;
  Origin origin;
  std::atomic<std::uint32_t> published;   ///< 1: the fields above are set.
  std::atomic<std::uint32_t> generation;  ///< Incremented at every claim: tells images apart.
  /// Size of tidemark's private mappings outside the session: of the process and of each thread so
  /// far. The collector finds out how much of it is resident.
  std::atomic<std::uint64_t> private_bytes;
  std::atomic<std::uint64_t> stacks_truncated;  ///< Stacks that were cut.
  std::atomic<std::uint64_t> unwind_fallbacks;  ///< Stacks that needed the full unwinder.
  /// Written by the collector. Even: the generation of the stack table; odd: it is being emptied.
  /// Futex.
  std::atomic<std::uint32_t> stack_generation;
  /// Written by the host: the generation that it waits for, because the table is full.
  std::atomic<std::uint32_t> wanted_generation;
  /// Inode of a pidfd of the process: the same in every pid namespace and never reused, from Linux
  /// 6.9 on. 0: unknown, because of an older kernel, a seccomp filter, or no free descriptor. Set
  /// with the fields before `published`.
  std::uint64_t identity;
  /// Address of the process's part of `private_bytes`. Set with the fields before `published`, as
  /// are the sizes of that part and of a thread's (RingHeader::state_address).
  std::uint64_t state_address;
  std::uint32_t state_bytes;
  std::uint32_t thread_state_bytes;
  /// The table of Python's code objects, not included in `private_bytes`. 0: none.
  std::atomic<std::uint64_t> code_table_address;
  std::atomic<std::uint64_t> code_table_bytes;
  /// The nearest ancestor with a claim from which this image descends by forks alone, even through
  /// forks that claimed nothing. Set with the fields before `published`.
  ProcessClaim forked_from;
  /// Page faults of that image right before the fork. 0: not known. Set with `forked_from`.
  std::uint64_t faults_before_fork;
  /// Written by the collector: how many io_uring rings it has seen among the process's descriptors,
  /// or kRingsUsed once the kernel has taken an entry from any of them.
  std::atomic<std::uint32_t> idle_rings;
  static constexpr std::uint32_t kRingsUsed = ~std::uint32_t{0};
  /// The bits below: whether the process has rings, and whether they may hide reads.
  std::atomic<std::uint32_t> rings;
  static constexpr std::uint32_t kMadeRing = 1;  ///< Host: one was made through `syscall`.
  static constexpr std::uint32_t kSeenRing = 2;  ///< By the collector: among its descriptors.
  /// By the host: reads through liburing or such a ring were seen, or nothing went through any
  /// ring.
  static constexpr std::uint32_t kFollowsRings = 4;

  /// Bytes returned by read and its kin from any descriptor, plus those that streams read and
  /// discarded: what the kernel counts as `rchar`.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> bytes_read;
  /// Bytes that large reads in progress may return: the kernel may have counted them already, while
  /// `bytes_read` does not have them yet. Both loaded behind `rchar`, this one first, they are no
  /// less than what hooks have seen of it.
  std::atomic<std::uint64_t> bytes_being_read;

  /// True if what went through the process's rings is unknown.
  [[nodiscard]] bool has_unseen_rings() const {
    const std::uint32_t known = rings.load(std::memory_order_relaxed);
    return (known & (kMadeRing | kSeenRing)) != 0 && (known & kFollowsRings) == 0;
  }
};
/// Rings are searched for among descriptors below this number.
constexpr int kMaxRingDescriptors = 256;
static_assert(sizeof(ProcessSlot) == 3 * kCacheLineBytes,
              "shared-memory layout is part of the protocol");

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t round_to_page(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}
constexpr std::uint64_t kProcessSlotsOffset = kPageBytes;
constexpr std::uint64_t kRingHeadersOffset =
    kProcessSlotsOffset + round_to_page(kMaxProcesses * sizeof(ProcessSlot));
constexpr std::uint64_t kBlocksOffset =
    kRingHeadersOffset + round_to_page(kMaxRings * sizeof(RingHeader));
constexpr std::uint64_t kControlBytes = kBlocksOffset;
constexpr std::uint64_t kBlockBytes = kStackTableBytes + kRingsPerBlock * kRingBytes;
constexpr std::uint64_t session_bytes(std::uint32_t blocks) {
  return kBlocksOffset + blocks * kBlockBytes;
}
constexpr std::uint64_t stack_table_offset(std::uint32_t process) {
  return kBlocksOffset + process * kBlockBytes;
}
constexpr std::uint64_t ring_offset(std::uint32_t ring) {
  return kBlocksOffset + ring / kRingsPerBlock * kBlockBytes + kStackTableBytes +
         ring % kRingsPerBlock * kRingBytes;
}

/// What a host maps before its first record.
constexpr std::uint64_t kFirstHostBytes = kControlBytes + kSmallStackTableBytes + kRingBytes;
/// A program limited to less address space than this (RLIMIT_AS) stays out of the session, since
/// what we map might be what it needs. 128 MiB.
constexpr std::uint64_t kMinAddressSpaceBytes = std::uint64_t{128} << 20;
static_assert(kMinAddressSpaceBytes > 16 * kFirstHostBytes, "a sixteenth of it at most is ours");

/// Parts of the file that are mapped one by one; nullptr if not mapped.
struct SessionWindows {
  Slot* rings[kMaxRings];
  std::byte* stack_tables[kMaxProcesses];  ///< Large ones.
};

/// Where things are. Indices must be below the maxima.
struct SessionMap {
  std::byte* base = nullptr;  ///< The control region, or, without windows, the whole file.
  const SessionWindows* windows = nullptr;

  [[nodiscard]] ControlBlock& control() const { return *reinterpret_cast<ControlBlock*>(base); }
  [[nodiscard]] ProcessSlot& process(std::uint32_t i) const {
    return reinterpret_cast<ProcessSlot*>(base + kProcessSlotsOffset)[i];
  }
  [[nodiscard]] RingHeader& ring(std::uint32_t i) const {
    return reinterpret_cast<RingHeader*>(base + kRingHeadersOffset)[i];
  }
  /// Only for a side that has mapped them: the collector.
  [[nodiscard]] Slot* slots(std::uint32_t ring) const {
    return windows != nullptr ? windows->rings[ring]
                              : reinterpret_cast<Slot*>(base + ring_offset(ring));
  }
  [[nodiscard]] StackTable stack_table(std::uint32_t process) const {
    if (windows == nullptr)
      return StackTable::large(base + stack_table_offset(process));
    std::byte* table = windows->stack_tables[process];
    return table != nullptr ? StackTable::large(table) : StackTable{};
  }
};

}  // namespace tidemark::wire
