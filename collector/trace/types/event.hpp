/// The content of a trace: events and the small vocabulary around them. Pure data; the bytes on
/// disk are specified in FORMAT.md.
#pragma once

#include "collector/trace/types/lane.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tidemark::trace {

/// Dense ids, unique within one trace. The enum types keep a thread from being passed as a stack.
enum class ProcessId : std::uint32_t {};
enum class ThreadId : std::uint32_t {};
enum class StackId : std::uint32_t {
};  ///< A node of the stack tree: its innermost frame. 0 = none.
enum class FrameId : std::uint32_t {};
enum class ModuleId : std::uint32_t {};  ///< 0 = code outside every module (JIT, unmapped).
enum class FileId : std::uint32_t {};
enum class TensorId : std::uint32_t {};
enum class LookId : std::uint32_t {};
enum class OriginId : std::uint32_t {};
enum class MatchId : std::uint32_t {};
enum class MismatchId : std::uint32_t {};
enum class PackedId : std::uint32_t {};
enum class HeapLookId : std::uint32_t {};
enum class AlikeId : std::uint32_t {};
enum class JoinedId : std::uint32_t {};
enum class NameId : std::uint32_t {};  ///< A string of the trace: a phase name, a library path.

/// The place of an event in its trace: 0, 1, 2 ... in the order of the events.
using EventOrdinal = std::uint64_t;
/// Identifies an allocation for its whole life: see Event.
using AllocationNumber = std::uint64_t;

constexpr StackId kNoStack{0};
/// For heap blocks without a sampled stack, in a trace with Session::sample_bytes.
constexpr StackId kUnsampledStack{1};
constexpr const char* kUnsampledStackName = "[stack not sampled]";
/// Name of the single frame of the stack that holds a forked process's written part of memory
/// inherited from its parent.
constexpr const char* kWrittenOfForkName = "(written memory of the process that forked this one)";
/// The same for memory that was mapped without a record.
constexpr const char* kBareMappingName = "(mapped by a bare system call)";
constexpr ModuleId kNoModule{0};

template <typename Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

enum class EventKind : std::uint8_t {
  kAllocate = 0,  ///< A block or a mapping appears in `lane`.
  kRelease = 1,   ///< The whole of allocation `allocation` goes.
  kReallocate =
      2,  ///< Allocation `released` goes and a new one of `size` bytes comes, at one instant.
  kReleasePart = 3,  ///< `size` bytes of allocation `allocation` go; the rest stays alive.
  kReleaseAll = 4,   ///< A process ended (exit, exec or death): its `size` bytes in `lane` go at
                     ///< once. `thread` is one of its threads; `extra` = ProcessId.
  kFail = 5,         ///< A request for `size` bytes in `lane` was refused.
  kOpen = 6,         ///< File `extra` opened.
  kClose = 7,        ///< File `extra` closed.
  kRead = 8,         ///< `size` bytes read from file `extra`.
  kAdvise = 9,       ///< madvise or posix_fadvise over `size` bytes; `extra` = advice value.
  kPhaseBegin = 10,  ///< A mark: phase named NameId `extra` begins on this thread.
  kPhaseEnd = 11,    ///< The innermost open phase named NameId `extra` of this thread ends.
  kThreadBegin = 12,
  kThreadEnd = 13,
  kProcessBegin = 14,  ///< First event of a process; `extra` = ProcessId.
  kProcessEnd =
      15,          ///< Last event of a process; `extra` = ProcessId. kReleaseAll events precede it.
  kLoad = 16,      ///< dlopen of NameId `extra`.
  kUnload = 17,    ///< dlclose; `extra` = NameId of the module's path, 0 if unknown.
  kLost = 18,      ///< `size` records of this thread are missing here.
  kCopy = 19,      ///< A large copy ended: `size` bytes went from `released` to `allocation`.
  kFill = 20,      ///< A large fill ended: `size` bytes of `allocation` were set.
  kReadInto = 21,  ///< Where `size` bytes of the thread's last kRead went: into `allocation`;
                   ///< `extra` = see `resident_share`. One for each block that it went into.
  kGrow = 22,      ///< `size` bytes come to allocation `allocation`, which stays: pages that it had
                   ///< given back, or that it had none for so far.
};
constexpr std::size_t kEventKindCount = 23;

/// `allocation` and `released` of kCopy, kFill and kReadInto for unknown memory: a thread's stack,
/// a variable, memory from before the recording.
constexpr AllocationNumber kNoAllocation = UINT64_MAX;

/// One decoded event. Events of a trace are totally ordered; `at_ns` never decreases.
///
/// Allocations (kAllocate and kReallocate) are numbered 0, 1, 2 ... through the whole trace in the
/// order of their events; this number is the block's identity for its whole life.
struct Event {
  std::uint64_t at_ns = 0;  ///< Since session start, rounded down to the trace's time unit.
  std::uint64_t size = 0;   ///< Bytes, as the kind says. kRelease: bytes of the released block.
  AllocationNumber allocation = 0;  ///< Number of the block that comes or goes; see `released`.
  AllocationNumber released = 0;    ///< kReallocate: number of the block that goes. kCopy: of
                                    ///< the one that was copied from.
  std::uint64_t released_size = 0;  ///< kReallocate: bytes of the block that goes.
  std::uint64_t extra = 0;   ///< As the kind says. kAllocate in heap: usable minus requested bytes;
                             ///< in file: FileId; in anon: see `written_file`; in device: see
                             ///< DevicePlace.
  StackId stack = kNoStack;  ///< kAllocate, kReallocate, kFail, kOpen, kRead, kCopy, kFill,
                             ///< kReadInto; else kNoStack.
  ThreadId thread{0};
  EventKind kind = EventKind::kAllocate;
  Lane lane = Lane::kHeap;
};

/// Largest `extra` of kReadInto.
constexpr std::uint64_t kMaxResidentShare = 255;
/// Share of the pages that a kReadInto was about to fill that was resident before, 0 to 1; none if
/// not checked: reads below 1 MiB. Estimated from a few pages.
constexpr std::optional<double> resident_share(const Event& event) {
  if (event.extra == 0)
    return std::nullopt;
  return static_cast<double>(event.extra - 1) / static_cast<double>(kMaxResidentShare - 1);
}

/// For an allocation in lane anon that holds the written pages of a private file mapping: the
/// FileId of that file; none for others. In a damaged trace it may be any number.
constexpr std::optional<std::uint64_t> written_file(const Event& event) {
  if (event.lane != Lane::kAnon || event.extra == 0)
    return std::nullopt;
  return event.extra - 1;
}

constexpr bool is_allocation(EventKind kind) {
  return kind == EventKind::kAllocate || kind == EventKind::kReallocate;
}

/// True for events about the content of live blocks.
constexpr bool is_touch(EventKind kind) {
  return kind == EventKind::kCopy || kind == EventKind::kFill || kind == EventKind::kReadInto;
}

/// Applies one event to running totals. This function is the definition of every lane's bytes.
constexpr void apply(const Event& event, LaneTotals& totals) {
  switch (event.kind) {
    case EventKind::kAllocate:
      totals[event.lane] += event.size;
      break;
    case EventKind::kReallocate:
      totals[event.lane] += event.size - event.released_size;
      break;
    case EventKind::kRelease:
    case EventKind::kReleasePart:
    case EventKind::kReleaseAll:
      totals[event.lane] -= event.size;
      break;
    case EventKind::kGrow:
      totals[event.lane] += event.size;
      break;
    default:
      break;
  }
}

/// What is known of an event block without decoding it. Totals are of the whole session (all
/// processes).
struct BlockSummary {
  EventOrdinal first_event = 0;           ///< Ordinal of the block's first event in the trace.
  AllocationNumber first_allocation = 0;  ///< Number of the first allocation at or after it.
  std::uint32_t event_count = 0;
  std::uint64_t begin_ns = 0;  ///< Time of the first event.
  std::uint64_t end_ns = 0;    ///< Time of the last event.
  LaneTotals at_begin;         ///< Before the first event.
  LaneTotals at_end;           ///< After the last event.
  LaneTotals minimum;          ///< Each lane's exact minimum within the block, both ends included.
  LaneTotals maximum;          ///< Each lane's exact maximum within the block, both ends included.
  std::uint64_t minimum_footprint = 0;
  std::uint64_t maximum_footprint = 0;
  /// Index in the block of the first event after which the footprint stood at maximum_footprint;
  /// kBeforeFirst when it stood there before the first event and no event exceeded or re-reached
  /// it.
  std::uint32_t maximum_at_event = 0;
  std::uint64_t maximum_at_ns = 0;  ///< Time of that event; begin_ns for kBeforeFirst.

  static constexpr std::uint32_t kBeforeFirst = 0xffffffff;
};

/// One look at a process from outside, as the kernel counts it. tidemark's own pages in the host
/// are already subtracted; `own_bytes` says how many they were.
struct Sample {
  std::uint64_t at_ns = 0;
  ProcessId process{0};
  std::uint64_t rss_anon_bytes = 0;
  std::uint64_t rss_file_bytes = 0;
  std::uint64_t rss_shmem_bytes = 0;
  std::uint64_t own_bytes = 0;
  std::uint64_t high_water_bytes = 0;  ///< The kernel's VmHWM, including own pages.
};

}  // namespace tidemark::trace
