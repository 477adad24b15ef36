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

enum class RecordKind : std::uint8_t {
  kNone = 0,
  kPayload,  ///< 24 bytes that belong to the nearest head slot before it.

  // The heap. address = block, size = requested bytes, extra = usable minus requested bytes.
  kAllocate,
  kFree,              ///< Written before the real free. address only.
  kReallocBegin,      ///< Written before the real realloc. address = old block, size = request.
  kReallocEnd,        ///< Written after it. address = new block; as kAllocate otherwise.
  kReallocFailed,     ///< Written after it: the old block stands. size = request.
  kAllocationFailed,  ///< size = request.

  // Mappings. Payload: MappingArguments.
  kMap,          ///< Written after mmap. address, size = length.
  kMapFailed,    ///< size = length.
  kUnmap,        ///< Written before munmap. address, size.
  kUnmapFailed,  ///< Written after: what this thread's last kUnmap took away is still there.
  kRemapBegin,   ///< Written before mremap. address, size = old length.
  kRemapEnd,     ///< Written after. address, size = new length.
  kRemapFailed,  ///< Written after: the old range stands. size = new length.
  kProtect,      ///< Written after mprotect. address, size; extra = protection bits.
  kAdvise,       ///< Written after madvise. address, size; extra = advice.
  kBreak,        ///< Written after brk or sbrk. address = old break, size = new break.

  // Files. extra = file descriptor.
  kOpen,        ///< size = file size. Payload: FileIdentity, then the path's bytes.
  kClose,       ///< Written before close.
  kDuplicate,   ///< Written after dup, dup2, dup3. address = new descriptor.
  kRead,        ///< address = destination, size: see make_read_size.
  kFileAdvise,  ///< address = offset, size = length; extra = descriptor; stack = advice.

  // Contents: copies and fills of kLargeTouch bytes and more, written after they are done.
  kCopy,  ///< address = destination, size. Payload: the source's address, 8 bytes.
  kFill,  ///< address = destination, size.

  // Device memory. A handle names it; of a mapped one `stack` and `extra` hold the handle's halves.
  kDeviceBegin,  ///< Before the driver is asked for `size` bytes: what this thread allocates until
                 ///< the next record of these may be what backs them on the host.
  kDeviceAllocate,  ///< After it. address = handle, size; extra = DevicePlace.
  kDeviceFailed,    ///< After it. size = request.
  kDeviceFree,      ///< Before the real free. address = handle.
  kDeviceMap,       ///< After it. address = where the host sees it, size = bytes from there on.
  kDeviceUnmap,     ///< Before it. address = handle.

  // Lives and names.
  kProcessBegin,  ///< Second record of a process image. Payload: executable path, a zero, then the
                  ///< arguments with a zero after each.
  kThreadBegin,   ///< First record of a thread in this ring. extra = tid; address = index of its
                  ///< ProcessSlot | generation << 32. Payload: name.
  kThreadEnd,     ///< The thread that began last in this ring is gone. Written by the one that
                  ///< takes over its ring, so maybe long after, and after the collector has seen
                  ///< it (RingHeader::watch_word). extra = tid.
  kThreadName,    ///< Thread `extra` (tid) of this process got a name. Payload: name.
  kExec,          ///< Process `extra` is about to run, or was made to run, another program: written
          ///< before exec (by the process itself or its vfork child), and after posix_spawn.
  kExecFailed,  ///< Written after an exec that came back: that image goes on.
  kModule,      ///< A module first met in a stack. address = load bias, size = end of its mapping,
                ///< extra = pages from load bias to the start of its mapping, stack = the epoch of
                ///< the stacks that it is for. Payload: path, filled up with zeros.
  kLoad,        ///< dlopen. Payload: name.
  kUnload,      ///< dlclose.
  kPhaseBegin,  ///< Payload: name.
  kPhaseEnd,    ///< Payload: name.
  kLost,        ///< size = records of this ring dropped since the last one that got through.

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

/// Payload of kMap and kRemapEnd.
struct MappingArguments {
  std::int32_t descriptor;   ///< -1 for anonymous memory.
  std::uint32_t protection;  ///< PROT_ bits.
  std::uint32_t flags;       ///< MAP_ or MREMAP_ bits.
  std::uint32_t internal;    ///< 1: made by the allocator itself; its blocks are in the heap lane.
  std::uint64_t offset;
};
static_assert(sizeof(MappingArguments) <= kPayloadBytes, "fits one payload slot");

/// Smallest copy or fill that is recorded, and the smallest block in which one can lie. 64 KiB.
constexpr std::uint64_t kLargeTouch = 64 * 1024;

/// kRead's `size`: the bytes, and in the top byte how many of the destination's pages were in
/// memory before: 0: not looked at, else 1 (none) to kMaxResidentShare (all).
constexpr unsigned kReadSizeBits = 56;
constexpr std::uint64_t kMaxResidentShare = 255;
constexpr std::uint64_t make_read_size(std::uint64_t bytes, std::uint64_t resident_share) {
  return bytes | resident_share << kReadSizeBits;
}
constexpr std::uint64_t bytes_of_read(std::uint64_t size) {
  return size & ((std::uint64_t{1} << kReadSizeBits) - 1);
}
constexpr std::uint64_t resident_share_of_read(std::uint64_t size) {
  return size >> kReadSizeBits;
}

/// kDeviceAllocate's `extra`: which memory it is.
///
///     heap : 8 | type : 8 | properties : 12 (VkMemoryPropertyFlags) | flags : 4
enum DeviceFlags : std::uint32_t {
  kDeviceDedicated = 1,    ///< For one buffer or image alone.
  kDeviceImported = 2,     ///< Made elsewhere: another process, another API.
  kDeviceHostPointer = 4,  ///< Imported from memory of the host, which is in another lane already.
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
  std::uint32_t regular;  ///< 1 for a regular file.
};
static_assert(sizeof(FileIdentity) == kPayloadBytes, "fits one payload slot");

}  // namespace tidemark::wire
