/// The shared memory of one session, and how a host finds it.
///
///     [ control page | process slots | ring headers ][ block 0 ][ block 1 ] ...
///      control region                                 each: stack table | ring slots ...
///
/// It is a memfd of the collector, sparse, sealed to its size: nothing is ever in /dev/shm, so
/// nothing can stay there, and no name exists that another user could open. A host maps the control
/// region, its own stack table and a ring for each of its threads, 6 MiB for a program with one
/// thread. It opens the file once, through /proc/COLLECTOR/fd/N; for all but the first part a
/// longer copy of the control region's mapping is made, which reaches as far into the file, and cut
/// down to the part. Where address space is short for that, the file is opened again. A forked
/// child has the control region already; an exec'd image finds it through kSessionVariable again.
#pragma once

#include "preload/wire/ring.hpp"
#include "preload/wire/stack_table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::wire {

/// To be raised with any change of layout or meaning in this folder: a host of another version
/// stays detached.
constexpr std::uint32_t kProtocolVersion = 24;
constexpr std::uint64_t kSessionMagic = 0x6b72616d65646974;  // "tidemark"

/// "COLLECTOR_PID:DESCRIPTOR:COOKIE", decimal, decimal, hexadecimal. A host may add for the program
/// that it starts: ":ABILITIES", hexadecimal, what its seccomp filters leave
/// (preload/os/seccomp.hpp), and then ":OWN_DESCRIPTOR", decimal, of the session's file, where
/// /proc no longer leads there.
constexpr const char* kSessionVariable = "TIDEMARK_SESSION";
constexpr const char* kPreloadVariable = "LD_PRELOAD";

constexpr std::uint32_t kMaxProcesses = 1024;  ///< Alive at one time. Each has a block of the file.
/// How many a block adds to those that all processes share: not what one process may have.
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

/// ControlPage::sample_bytes, where it is not 0, is between them.
constexpr std::uint64_t kMinSampleBytes = std::uint64_t{1} << 10;
constexpr std::uint64_t kMaxSampleBytes = std::uint64_t{1} << 40;

/// ControlPage::unread_python: one of these, and major << 8 | minor where that is known.
constexpr std::uint32_t kUnreadPython = 1U << 31;
/// A build without the global lock, whose objects have another shape.
constexpr std::uint32_t kFreeThreadedPython = 1U << 30;

struct ControlPage {
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
  /// Heap allocations of fewer bytes have a stack where a sample point falls into them, one in so
  /// many bytes on average; else kUnsampledStack. 0: every one has its stack.
  std::uint64_t sample_bytes;
  std::uint64_t began_unix_ns;  ///< By the clock of files.
  std::uint32_t blocks;         ///< 1 to kMaxProcesses: what a limit for file sizes leaves.

  /// glibc's robust, process-shared pthread_mutex_t, held by the collector for as long as it lives.
  /// Hosts only look at its first word: the kernel sets kOwnerDied there when the collector dies,
  /// even by SIGKILL.
  alignas(kCacheLineBytes) std::byte collector_lock[64];

  /// 1: hosts must detach. Written by the collector, or by a host that found it dead.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> ended;
  /// Futex: hosts raise it to wake a sleeping collector.
  std::atomic<std::uint32_t> doorbell;
  std::atomic<std::uint32_t> collector_sleeps;
  /// 1 + the CPU that the collector runs on, or waits for where a host's thread has it; 0: unknown.
  std::atomic<std::uint32_t> collector_cpu;

  /// 1: a thread waits for room in its ring, or soon will. Set by hosts, cleared by the collector
  /// after each pass.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> room_wanted;

  // Written by hosts.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> rings_used;  ///< Highest index so far + 1.
  std::atomic<std::uint32_t> processes_used;
  std::atomic<std::uint64_t> processes_refused;
  std::atomic<std::uint64_t> threads_refused;
  /// A Python whose frames are not read: kUnreadPython and more. 0: none was met.
  std::atomic<std::uint32_t> unread_python;
  std::atomic<std::uint64_t> stacks_compared;   ///< kCheck: our own unwinder's, with libunwind's.
  std::atomic<std::uint64_t> stacks_different;  ///< Of these.
  /// Of these, and not different: libunwind's ended in code without unwind tables, where ours goes
  /// on by frame pointers, or says that frames are missing.
  std::atomic<std::uint64_t> stacks_ended_early;
  /// Bytes that were asked for by liburing from files that only the ring knows.
  std::atomic<std::uint64_t> reads_unfollowed;
};
constexpr std::uint32_t kOwnerDied = 0x40000000;  // FUTEX_OWNER_DIED, linux/futex.h
static_assert(sizeof(ControlPage) <= 4096, "fits its page");

enum class ProcessState : std::uint32_t { kFree = 0, kAlive = 1, kDraining = 2 };
enum class Origin : std::uint32_t { kStarted = 0, kForked = 1 };

/// Of a pidfd's file system, whose inodes are ProcessSlot::identity (PID_FS_MAGIC, linux/magic.h).
/// Before Linux 6.9 all pidfds share one inode, of another one.
constexpr long kPidFileSystem = 0x50494446;

/// One claim of a ProcessSlot, by its index and its generation then.
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
  std::atomic<std::uint32_t> generation;  ///< Moves with every claim: tells images apart.
  /// Own memory outside the session, as mapped: of the process, and of each thread so far. What of
  /// it is in use the collector sees by its pages.
  std::atomic<std::uint64_t> private_bytes;
  std::atomic<std::uint64_t> stacks_truncated;  ///< Records whose stack was cut.
  std::atomic<std::uint64_t> unwind_fallbacks;  ///< Stacks that took the full unwinder.
  /// Written by the collector. Even: the generation of the stack table; odd: it is being emptied.
  /// Futex.
  std::atomic<std::uint32_t> stack_generation;
  /// Written by the host: the generation that it waits for, because the table is full.
  std::atomic<std::uint32_t> wanted_generation;
  /// What read and its kin returned, from whatever descriptor, and what streams took and threw
  /// away: as the kernel counts `rchar`.
  std::atomic<std::uint64_t> bytes_read;
  /// Inode of a pidfd of the process: the same in every pid namespace and never given again, from
  /// Linux 6.9 on. 0: not known: an older kernel,
  /// a filter of the program's, or no descriptor left. Set with the fields before `published`.
  std::uint64_t identity;
  /// Where the process's own memory of `private_bytes` begins. Set with the fields before
  /// `published`, as are the sizes of its part and of a thread's (RingHeader::state_address).
  std::uint64_t state_address;
  std::uint32_t state_bytes;
  std::uint32_t thread_state_bytes;
  /// The table of Python's code objects, which is not among the `private_bytes`. 0: none.
  std::atomic<std::uint64_t> code_table_address;
  std::atomic<std::uint64_t> code_table_bytes;
  /// The nearest image with a claim that this one comes from by fork alone, whatever was forked
  /// between them. Set with the fields before `published`.
  ProcessClaim forked_from;
  /// Page faults of that image right before the fork. 0: not known. Set with `forked_from`.
  std::uint64_t faults_before_fork;
  /// Written by the collector: rings of io_uring that it has seen among the process's descriptors,
  /// as long as the kernel had taken nothing from any of them; else kRingsUsed.
  std::atomic<std::uint32_t> idle_rings;
  static constexpr std::uint32_t kRingsUsed = ~std::uint32_t{0};
  /// Of whether it has rings, and whether they hide reads: the bits below.
  std::atomic<std::uint32_t> rings;
  static constexpr std::uint32_t kMadeRing = 1;  ///< By the host: one was made by `syscall`.
  static constexpr std::uint32_t kSeenRing = 2;  ///< By the collector: among its descriptors.
  /// By the host: reads by liburing or by such a ring were seen, or nothing went through any.
  static constexpr std::uint32_t kFollowsRings = 4;

  /// Nothing is known of what went through its rings.
  [[nodiscard]] bool has_unseen_rings() const {
    const std::uint32_t known = rings.load(std::memory_order_relaxed);
    return (known & (kMadeRing | kSeenRing)) != 0 && (known & kFollowsRings) == 0;
  }
};
/// Rings are looked for among so many descriptors, by number.
constexpr int kMaxRingDescriptors = 256;
static_assert(sizeof(ProcessSlot) == 2 * kCacheLineBytes,
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
/// A program that may have less address space than this (RLIMIT_AS) stays out of the session: what
/// it would lose to us may be what it needs. 128 MiB.
constexpr std::uint64_t kMinAddressSpaceBytes = std::uint64_t{128} << 20;
static_assert(kMinAddressSpaceBytes > 16 * kFirstHostBytes, "a sixteenth of it at most is ours");

/// Parts of the file that are mapped one by one. nullptr: that one is not.
struct SessionWindows {
  Slot* rings[kMaxRings];
  std::byte* stack_tables[kMaxProcesses];  ///< Large ones.
};

/// Where things are. Indices must be below the maxima.
struct SessionMap {
  std::byte* base = nullptr;  ///< The control region, or, without windows, the whole file.
  const SessionWindows* windows = nullptr;

  [[nodiscard]] ControlPage& control() const { return *reinterpret_cast<ControlPage*>(base); }
  [[nodiscard]] ProcessSlot& process(std::uint32_t i) const {
    return reinterpret_cast<ProcessSlot*>(base + kProcessSlotsOffset)[i];
  }
  [[nodiscard]] RingHeader& ring(std::uint32_t i) const {
    return reinterpret_cast<RingHeader*>(base + kRingHeadersOffset)[i];
  }
  /// For who has mapped them: the collector.
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
