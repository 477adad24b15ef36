/// Records: what a host tells the collector, in slots of 32 bytes.
///
/// A slot describes itself: its first word holds a lap number that the reader checks, so a slot is
/// either whole or not there at all, whatever instruction the host died at. Longer messages (a
/// path, a mapping's arguments) are a head slot followed by kPayload slots of 24 bytes each.
///
///     word 0   lap:8 | kind:8 | time:48     written last, with release order
///     word 1   address                      or a kind's own value
///     word 2   size                         or a kind's own value
///     word 3   stack:32 | extra:32
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::wire {

/// Kinds of records; kinds.hpp gives the fields of each, and when it is written.
enum class RecordKind : std::uint8_t {
  kNone = 0,
  kPayload,  ///< 24 bytes that belong to the nearest head slot before it.
  // The heap.
  kAllocate,
  kFree,
  kReallocBegin,
  kReallocEnd,
  kReallocFailed,
  kAllocationFailed,
  kLastLook,
  kLastValues,
  // Mappings.
  kMap,
  kMapFailed,
  kUnmap,
  kUnmapFailed,
  kAttach,
  kDetach,
  kRemapBegin,
  kRemapEnd,
  kRemapFailed,
  kProtect,
  kAdvise,
  kBreak,
  // Files.
  kOpen,
  kClose,
  kDuplicate,
  kRead,
  kReadAt,
  kGatheredReads,
  kFileAdvise,
  // Contents.
  kCopy,
  kFill,
  // Device memory.
  kDeviceBegin,
  kDeviceAllocate,
  kDeviceFailed,
  kDeviceFree,
  kDeviceMap,
  kDeviceUnmap,
  // Lives and names.
  kProcessBegin,
  kThreadBegin,
  kThreadEnd,
  kThreadName,
  kExec,
  kExecFailed,
  kChildEnded,
  kModule,
  kLoad,
  kUnload,
  kCode,
  kCodeLines,
  kPhaseBegin,
  kPhaseEnd,
  kLost,

  kCount,
};

constexpr std::size_t kSlotBytes = 32;
constexpr std::size_t kPayloadBytes = 24;
constexpr unsigned kTimeBits = 48;
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;

/// One slot. Written by the host that owns the ring, read by the collector.
struct Slot {
  std::atomic<std::uint64_t> head;  ///< lap | kind | time: see above.
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t stack;
  std::uint32_t extra;
};
static_assert(sizeof(Slot) == kSlotBytes, "shared-memory layout is part of the protocol");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "slots cross a process boundary");

constexpr std::uint64_t make_head(std::uint8_t lap, RecordKind kind, std::uint64_t ticks) {
  return (std::uint64_t{lap} << 56) | (static_cast<std::uint64_t>(kind) << kTimeBits) |
         (ticks & kTimeMask);
}
constexpr std::uint8_t lap_of_head(std::uint64_t head) {
  return static_cast<std::uint8_t>(head >> 56);
}
constexpr RecordKind kind_of_head(std::uint64_t head) {
  return static_cast<RecordKind>((head >> kTimeBits) & 0xff);
}
constexpr std::uint64_t time_of_head(std::uint64_t head) {
  return head & kTimeMask;
}

/// Payload of mappings.
struct MappingArguments {
  std::int32_t descriptor;   ///< -1 for anonymous memory.
  std::uint32_t protection;  ///< PROT_ bits.
  std::uint32_t flags;       ///< MAP_ or MREMAP_ bits.
  std::uint32_t internal;    ///< 1: made by the allocator itself; its blocks are in the heap lane.
  std::uint64_t offset;
};
static_assert(sizeof(MappingArguments) <= kPayloadBytes, "fits one payload slot");

/// Smallest copy or fill that is recorded, and the smallest block in which one can lie. 64 KiB.
constexpr std::uint64_t kLargeTouch = std::uint64_t{64} << 10U;

/// kRead's `size`: the bytes, and in the top byte how many of the destination's pages were in
/// memory before: 0: not looked at, else 1 (none) to kMaxResidentShare (all).
constexpr unsigned kReadSizeBits = 56;
constexpr std::uint64_t kMaxResidentShare = 255;

/// kDeviceAllocate's `extra`: which memory it is.
///
///     heap : 8 | type : 8 | properties : 12 (VkMemoryPropertyFlags) | flags : 4
enum DeviceFlags : std::uint32_t {
  kDeviceDedicated = 1,    ///< For one buffer or image alone.
  kDeviceImported = 2,     ///< Made elsewhere: another process, another API.
  kDeviceHostPointer = 4,  ///< Imported host memory, already counted in another lane.
};
constexpr std::uint32_t make_device_place(std::uint32_t heap,
                                          std::uint32_t type,
                                          std::uint32_t properties,
                                          std::uint32_t flags) {
  return (heap & 0xff) | (type & 0xff) << 8 | (properties & 0xfff) << 16 | flags << 28;
}
constexpr std::uint32_t heap_of_device_place(std::uint32_t place) {
  return place & 0xff;
}
constexpr std::uint32_t type_of_device_place(std::uint32_t place) {
  return place >> 8 & 0xff;
}
constexpr std::uint32_t properties_of_device_place(std::uint32_t place) {
  return place >> 16 & 0xfff;
}
constexpr std::uint32_t flags_of_device_place(std::uint32_t place) {
  return place >> 28;
}

/// First payload slot of kOpen; the path follows in the next ones.
struct FileIdentity {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint32_t path_bytes;
  std::uint32_t flags;  ///< kFile... bits.
};
constexpr std::uint32_t kFileWritable = 1;  ///< This descriptor can write.
constexpr std::uint32_t kFileChanged = 4;   ///< Modified after the session began.
constexpr std::uint32_t kFileUnlinked = 2;  ///< It has no name: unlinked, or O_TMPFILE.
/// Opened unseen: this record was written at the descriptor's first use instead.
constexpr std::uint32_t kFileWasOpen = 8;
static_assert(sizeof(FileIdentity) == kPayloadBytes, "fits one payload slot");

}  // namespace tidemark::wire
