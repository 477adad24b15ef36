/// The kinds of records, one type each: its fields, and how they are encoded in the four words of a
/// slot (record.hpp).
///
/// A new kind needs a name in RecordKind, a type here, and its place in AllKinds. Encoding,
/// decoding, the name and whether payload slots follow all come from the type, and the collector
/// does not compile until it handles the kind (`visit_record`).
#pragma once

#include "preload/wire/record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark::wire {

/// The words of a slot, without its head.
struct Words {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t stack = 0;
  std::uint32_t extra = 0;

  bool operator==(const Words&) const = default;
};

/// What the payload slots behind a record contain.
enum class Payload : std::uint8_t {
  kNone,
  kMapping,  ///< MappingArguments.
  kFile,     ///< FileIdentity, then the path's bytes.
  kSource,   ///< Address of the first byte that was copied, 8 bytes.
  kOffset,   ///< File offset of the first byte that was read, 8 bytes.
  kText,     ///< Text of `text_bytes`.
  kValues,   ///< The block's first bytes, then those from `inner_at` on.
  kPath,     ///< A path, a zero, the length of the build id (one byte), the build id; then zeros.
};

// ---- the heap ----

/// kAllocate: after the real call. kReallocEnd: the same; address 0: realloc(p, 0), a free.
template <RecordKind kOf>
struct BlockRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< As requested.
  std::uint32_t stack = 0;
  std::uint32_t slack = 0;  ///< Usable minus requested bytes; 0 where that is not known.

  [[nodiscard]] constexpr Words encode() const { return {address, bytes, stack, slack}; }
  static constexpr BlockRecord decode(const Words& words) {
    return {words.address, words.size, words.stack, words.extra};
  }
};
using Allocate = BlockRecord<RecordKind::kAllocate>;
using ReallocEnd = BlockRecord<RecordKind::kReallocEnd>;

/// Before the real call.
struct Free {
  static constexpr RecordKind kKind = RecordKind::kFree;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;

  [[nodiscard]] constexpr Words encode() const { return {.address = address}; }
  static constexpr Free decode(const Words& words) { return {words.address}; }
};

/// Before the real call: from here on another thread may get the old address.
struct ReallocBegin {
  static constexpr RecordKind kKind = RecordKind::kReallocBegin;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;  ///< The old one.
  std::uint64_t bytes = 0;    ///< As requested.

  [[nodiscard]] constexpr Words encode() const { return {.address = address, .size = bytes}; }
  static constexpr ReallocBegin decode(const Words& words) { return {words.address, words.size}; }
};

/// A failed request; after a failed realloc the old block still exists.
template <RecordKind kOf>
struct RefusedRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t bytes = 0;
  std::uint32_t stack = 0;

  [[nodiscard]] constexpr Words encode() const { return {.size = bytes, .stack = stack}; }
  static constexpr RefusedRecord decode(const Words& words) { return {words.size, words.stack}; }
};
using ReallocFailed = RefusedRecord<RecordKind::kReallocFailed>;
using AllocationFailed = RefusedRecord<RecordKind::kAllocationFailed>;

/// Right before the kFree of a large block, with the same time stamp: how much of it was resident.
struct LastLook {
  static constexpr RecordKind kKind = RecordKind::kLastLook;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;
  /// Its resident whole pages, plus its parts of pages shared with neighbours.
  std::uint64_t touched_bytes = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = address, .size = touched_bytes};
  }
  static constexpr LastLook decode(const Words& words) { return {words.address, words.size}; }
};

/// How many bytes of a block are read to recognise its values: at its begin, and at `values_place`.
constexpr std::size_t kFirstValueBytes = 256;
constexpr std::size_t kInnerValueBytes = 64;
/// Offset of the inner bytes. Not half of the block, so that it is inside a tensor when the block
/// holds two; and no simple fraction of the size, where tiles begin with a bias of zeros. For two
/// blocks with the same elements in two types, the elements read from the wider one are among those
/// read from the other.
/// @param bytes the block's requested size.
constexpr std::uint64_t values_place(std::uint64_t bytes) {
  return bytes * 37 / 100 / kInnerValueBytes * kInnerValueBytes;
}

/// Right before the kLastLook of a block whose pages are resident: bytes by which its values can be
/// recognised. The host does not know the requested size, so the inner bytes cover every place that
/// `values_place` could give.
struct LastValues {
  static constexpr RecordKind kKind = RecordKind::kLastValues;
  static constexpr Payload kPayload = Payload::kValues;
  std::uint64_t address = 0;
  std::uint64_t inner_at = 0;  ///< In the block, a multiple of kInnerValueBytes.
  std::uint32_t first_bytes = 0;
  std::uint32_t inner_bytes = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = address, .size = inner_at, .stack = first_bytes, .extra = inner_bytes};
  }
  static constexpr LastValues decode(const Words& words) {
    return {words.address, words.size, words.stack, words.extra};
  }
};

// ---- mappings ----

/// After mmap and mremap. For a failed call the address is 0; after kRemapFailed the old range is
/// still mapped.
template <RecordKind kOf>
struct MappedRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kMapping;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t stack = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = address, .size = bytes, .stack = stack};
  }
  static constexpr MappedRecord decode(const Words& words) {
    return {words.address, words.size, words.stack};
  }
};
using Map = MappedRecord<RecordKind::kMap>;
using MapFailed = MappedRecord<RecordKind::kMapFailed>;
using RemapEnd = MappedRecord<RecordKind::kRemapEnd>;
using RemapFailed = MappedRecord<RecordKind::kRemapFailed>;

/// kUnmap: before munmap; kUnmapFailed: after it, the range of this thread's last kUnmap is still
/// mapped. kRemapBegin: before mremap, the old range.
template <RecordKind kOf>
struct RangeRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] constexpr Words encode() const { return {.address = address, .size = bytes}; }
  static constexpr RangeRecord decode(const Words& words) { return {words.address, words.size}; }
};
using Unmap = RangeRecord<RecordKind::kUnmap>;
using UnmapFailed = RangeRecord<RecordKind::kUnmapFailed>;
using RemapBegin = RangeRecord<RecordKind::kRemapBegin>;

/// After shmat of a SysV segment. The collector asks the kernel for its length.
struct Attach {
  static constexpr RecordKind kKind = RecordKind::kAttach;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;
  std::uint32_t stack = 0;
  std::uint32_t segment = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = address, .stack = stack, .extra = segment};
  }
  static constexpr Attach decode(const Words& words) {
    return {words.address, words.stack, words.extra};
  }
};

/// Before shmdt.
struct Detach {
  static constexpr RecordKind kKind = RecordKind::kDetach;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;

  [[nodiscard]] constexpr Words encode() const { return {.address = address}; }
  static constexpr Detach decode(const Words& words) { return {words.address}; }
};

/// After mprotect.
struct Protect {
  static constexpr RecordKind kKind = RecordKind::kProtect;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t stack = 0;
  std::uint32_t protection = 0;  ///< PROT_ bits.

  [[nodiscard]] constexpr Words encode() const { return {address, bytes, stack, protection}; }
  static constexpr Protect decode(const Words& words) {
    return {words.address, words.size, words.stack, words.extra};
  }
};

/// After madvise.
struct Advise {
  static constexpr RecordKind kKind = RecordKind::kAdvise;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t advice = 0;  ///< MADV_

  [[nodiscard]] constexpr Words encode() const {
    return {.address = address, .size = bytes, .extra = advice};
  }
  static constexpr Advise decode(const Words& words) {
    return {words.address, words.size, words.extra};
  }
};

/// After brk or sbrk.
struct Break {
  static constexpr RecordKind kKind = RecordKind::kBreak;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint32_t stack = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = before, .size = after, .stack = stack};
  }
  static constexpr Break decode(const Words& words) {
    return {words.address, words.size, words.stack};
  }
};

// ---- files ----

struct Open {
  static constexpr RecordKind kKind = RecordKind::kOpen;
  static constexpr Payload kPayload = Payload::kFile;
  std::uint64_t file_bytes = 0;
  std::uint32_t stack = 0;
  std::uint32_t descriptor = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.size = file_bytes, .stack = stack, .extra = descriptor};
  }
  static constexpr Open decode(const Words& words) {
    return {words.size, words.stack, words.extra};
  }
};

/// Before close.
struct Close {
  static constexpr RecordKind kKind = RecordKind::kClose;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint32_t descriptor = 0;

  [[nodiscard]] constexpr Words encode() const { return {.extra = descriptor}; }
  static constexpr Close decode(const Words& words) { return {words.extra}; }
};

/// After dup, dup2, dup3 and fcntl with F_DUPFD.
struct Duplicate {
  static constexpr RecordKind kKind = RecordKind::kDuplicate;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t to = 0;  ///< The new descriptor.
  std::uint32_t from = 0;

  [[nodiscard]] constexpr Words encode() const { return {.address = to, .extra = from}; }
  static constexpr Duplicate decode(const Words& words) { return {words.address, words.extra}; }
};

/// kReadAt: of kLargeTouch bytes and more, where their place in the file is known.
template <RecordKind kOf, Payload kBehind>
struct ReadRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = kBehind;
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;  ///< Below 2^kReadSizeBits.
  /// How much of the destination was resident before: see kMaxResidentShare.
  std::uint64_t resident_share = 0;
  std::uint32_t stack = 0;
  std::uint32_t descriptor = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {destination, bytes | resident_share << kReadSizeBits, stack, descriptor};
  }
  static constexpr ReadRecord decode(const Words& words) {
    return {words.address, words.size & ((std::uint64_t{1} << kReadSizeBits) - 1),
            words.size >> kReadSizeBits, words.stack, words.extra};
  }
};
using Read = ReadRecord<RecordKind::kRead, Payload::kNone>;
using ReadAt = ReadRecord<RecordKind::kReadAt, Payload::kOffset>;

/// Small reads that followed a thread's last kRead, of the same descriptor, combined: each to where
/// the previous one ended, or all to one place.
struct GatheredReads {
  static constexpr RecordKind kKind = RecordKind::kGatheredReads;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t destination = 0;  ///< Where the first read went.
  /// See RingHeader::gathered_bytes. Cumulative over the thread's records of this kind.
  std::uint64_t total_bytes = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = destination, .size = total_bytes};
  }
  static constexpr GatheredReads decode(const Words& words) { return {words.address, words.size}; }
};

struct FileAdvise {
  static constexpr RecordKind kKind = RecordKind::kFileAdvise;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t advice = 0;  ///< POSIX_FADV_
  std::uint32_t descriptor = 0;

  [[nodiscard]] constexpr Words encode() const { return {offset, bytes, advice, descriptor}; }
  static constexpr FileAdvise decode(const Words& words) {
    return {words.address, words.size, words.stack, words.extra};
  }
};

// ---- contents: copies and fills of kLargeTouch bytes and more, after they are done ----

template <RecordKind kOf, Payload kBehind>
struct TouchRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = kBehind;
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;
  std::uint32_t stack = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = destination, .size = bytes, .stack = stack};
  }
  static constexpr TouchRecord decode(const Words& words) {
    return {words.address, words.size, words.stack};
  }
};
using Copy = TouchRecord<RecordKind::kCopy, Payload::kSource>;
using Fill = TouchRecord<RecordKind::kFill, Payload::kNone>;

// ---- device memory, by handle ----

/// Before the driver is called: what this thread allocates until its next device record may be the
/// memory that backs the request on the host.
struct DeviceBegin {
  static constexpr RecordKind kKind = RecordKind::kDeviceBegin;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t bytes = 0;

  [[nodiscard]] constexpr Words encode() const { return {.size = bytes}; }
  static constexpr DeviceBegin decode(const Words& words) { return {words.size}; }
};

/// Written after the call. For kDeviceFailed the handle is 0.
template <RecordKind kOf>
struct DeviceRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t handle = 0;
  std::uint64_t bytes = 0;
  std::uint32_t stack = 0;
  std::uint32_t place = 0;  ///< See make_device_place.

  [[nodiscard]] constexpr Words encode() const { return {handle, bytes, stack, place}; }
  static constexpr DeviceRecord decode(const Words& words) {
    return {words.address, words.size, words.stack, words.extra};
  }
};
using DeviceAllocate = DeviceRecord<RecordKind::kDeviceAllocate>;
using DeviceFailed = DeviceRecord<RecordKind::kDeviceFailed>;

/// Before the real free, and before the real unmapping.
template <RecordKind kOf>
struct HandleRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t handle = 0;

  [[nodiscard]] constexpr Words encode() const { return {.address = handle}; }
  static constexpr HandleRecord decode(const Words& words) { return {words.address}; }
};
using DeviceFree = HandleRecord<RecordKind::kDeviceFree>;
using DeviceUnmap = HandleRecord<RecordKind::kDeviceUnmap>;

/// After it.
struct DeviceMap {
  static constexpr RecordKind kKind = RecordKind::kDeviceMap;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t handle = 0;
  std::uint64_t address = 0;  ///< Where it is mapped in the host.
  std::uint64_t bytes = 0;    ///< From there on. VK_WHOLE_SIZE: less the offset, as it was asked.

  [[nodiscard]] constexpr Words encode() const {
    return {address, bytes, static_cast<std::uint32_t>(handle),
            static_cast<std::uint32_t>(handle >> 32)};
  }
  static constexpr DeviceMap decode(const Words& words) {
    return {std::uint64_t{words.extra} << 32 | words.stack, words.address, words.size};
  }
};

// ---- lives and names ----

/// Second record of a process image. The text: executable path, a zero, then the arguments with a
/// zero after each.
struct ProcessBegin {
  static constexpr RecordKind kKind = RecordKind::kProcessBegin;
  static constexpr Payload kPayload = Payload::kText;
  std::uint64_t text_bytes = 0;

  [[nodiscard]] constexpr Words encode() const { return {.size = text_bytes}; }
  static constexpr ProcessBegin decode(const Words& words) { return {words.size}; }
};

/// First record of a thread in this ring. The text: its name.
struct ThreadBegin {
  static constexpr RecordKind kKind = RecordKind::kThreadBegin;
  static constexpr Payload kPayload = Payload::kText;
  std::uint32_t slot = 0;  ///< Index of its ProcessSlot.
  /// The slot's generation: a ring may have served another process before.
  std::uint32_t generation = 0;
  std::uint32_t tid = 0;
  std::uint64_t text_bytes = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = std::uint64_t{generation} << 32 | slot, .size = text_bytes, .extra = tid};
  }
  static constexpr ThreadBegin decode(const Words& words) {
    return {static_cast<std::uint32_t>(words.address),
            static_cast<std::uint32_t>(words.address >> 32), words.extra, words.size};
  }
};

/// The thread that last began in this ring has ended. Written by the thread that takes over the
/// ring, maybe long after, when the collector has seen the end already (RingHeader::watch_word).
struct ThreadEnd {
  static constexpr RecordKind kKind = RecordKind::kThreadEnd;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint32_t tid = 0;

  [[nodiscard]] constexpr Words encode() const { return {.extra = tid}; }
  static constexpr ThreadEnd decode(const Words& words) { return {words.extra}; }
};

/// A thread of this process got a name.
struct ThreadName {
  static constexpr RecordKind kKind = RecordKind::kThreadName;
  static constexpr Payload kPayload = Payload::kText;
  std::uint32_t tid = 0;
  std::uint64_t text_bytes = 0;

  [[nodiscard]] constexpr Words encode() const { return {.size = text_bytes, .extra = tid}; }
  static constexpr ThreadName decode(const Words& words) { return {words.extra, words.size}; }
};

/// kExec: a process is about to run, or was made to run, another program: written before exec (by
/// the process itself or its vfork child), and after posix_spawn. kExecFailed: after an exec that
/// came back.
template <RecordKind kOf>
struct ExecRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint32_t pid = 0;     ///< In the pid namespace of the writer.
  std::uint64_t faults = 0;  ///< Page faults before its own exec; 0: unknown.

  [[nodiscard]] constexpr Words encode() const { return {.size = faults, .extra = pid}; }
  static constexpr ExecRecord decode(const Words& words) { return {words.extra, words.size}; }
};
using Exec = ExecRecord<RecordKind::kExec>;
using ExecFailed = ExecRecord<RecordKind::kExecFailed>;

/// The end of a child, as reported by a wait. Usage fields are 0 if the call does not return them.
struct ChildEnded {
  static constexpr RecordKind kKind = RecordKind::kChildEnded;
  static constexpr Payload kPayload = Payload::kNone;
  /// In the pid namespace of the writer; 0: unknown which child.
  std::uint32_t pid = 0;
  std::uint64_t cpu_ns = 0;               ///< Includes children that it has waited for.
  std::uint64_t most_resident_bytes = 0;  ///< Maximum over its images and those children.
  std::uint32_t faults = 0;               ///< Page faults, including those children.

  [[nodiscard]] constexpr Words encode() const {
    return {.address = cpu_ns, .size = most_resident_bytes, .stack = faults, .extra = pid};
  }
  static constexpr ChildEnded decode(const Words& words) {
    return {words.extra, words.address, words.size, words.stack};
  }
};

/// A module first met in a stack.
struct Module {
  static constexpr RecordKind kKind = RecordKind::kModule;
  static constexpr Payload kPayload = Payload::kPath;
  std::uint64_t bias = 0;   ///< Load bias.
  std::uint64_t end = 0;    ///< Where its mapping ends.
  std::uint32_t epoch = 0;  ///< Epoch of the stacks that it belongs to.
  std::uint32_t pages_before =
      0;  ///< From the load bias to the start of its mapping, of kPageBytes.

  [[nodiscard]] constexpr Words encode() const { return {bias, end, epoch, pages_before}; }
  static constexpr Module decode(const Words& words) {
    return {words.address, words.size, words.stack, words.extra};
  }
};

/// dlopen, and marks: a name.
template <RecordKind kOf>
struct NameRecord {
  static constexpr RecordKind kKind = kOf;
  static constexpr Payload kPayload = Payload::kText;
  std::uint64_t text_bytes = 0;

  [[nodiscard]] constexpr Words encode() const { return {.size = text_bytes}; }
  static constexpr NameRecord decode(const Words& words) { return {words.size}; }
};
using Load = NameRecord<RecordKind::kLoad>;
using PhaseBegin = NameRecord<RecordKind::kPhaseBegin>;
using PhaseEnd = NameRecord<RecordKind::kPhaseEnd>;

/// dlclose.
struct Unload {
  static constexpr RecordKind kKind = RecordKind::kUnload;
  static constexpr Payload kPayload = Payload::kNone;

  [[nodiscard]] constexpr Words encode() const { return {}; }
  static constexpr Unload decode(const Words&) { return {}; }
};

/// How to read the line table of a Python code object.
enum class LineFormat : std::uint32_t {
  kNone = 0,       ///< No table: the first line stands for all.
  kRanges = 1,     ///< Python 3.10: PEP 626's pairs of bytes.
  kLocations = 2,  ///< Python 3.11 on: Objects/locations.md.
};

/// A Python code object first met in a stack. The text: its qualified name, a zero, its file's
/// name. Then its line table follows, in records of kCodeLines of the same thread.
struct Code {
  static constexpr RecordKind kKind = RecordKind::kCode;
  static constexpr Payload kPayload = Payload::kText;
  std::uint32_t number = 0;  ///< Unique in the process; nodes refer to it.
  std::uint32_t first_line = 0;
  std::uint32_t table_bytes = 0;
  LineFormat format = LineFormat::kNone;
  std::uint64_t text_bytes = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {std::uint64_t{static_cast<std::uint32_t>(format)} << 32 | table_bytes, text_bytes,
            first_line, number};
  }
  static constexpr Code decode(const Words& words) {
    return {words.extra, words.stack, static_cast<std::uint32_t>(words.address),
            static_cast<LineFormat>(words.address >> 32), words.size};
  }
};

/// A part of the line table of code object `number`.
struct CodeLines {
  static constexpr RecordKind kKind = RecordKind::kCodeLines;
  static constexpr Payload kPayload = Payload::kText;
  std::uint32_t number = 0;
  std::uint64_t begin = 0;  ///< Offset of this part in the table.
  std::uint64_t text_bytes = 0;

  [[nodiscard]] constexpr Words encode() const {
    return {.address = begin, .size = text_bytes, .extra = number};
  }
  static constexpr CodeLines decode(const Words& words) {
    return {words.extra, words.address, words.size};
  }
};

struct Lost {
  static constexpr RecordKind kKind = RecordKind::kLost;
  static constexpr Payload kPayload = Payload::kNone;
  std::uint64_t records = 0;  ///< Dropped from this ring since the last kLost.

  [[nodiscard]] constexpr Words encode() const { return {.size = records}; }
  static constexpr Lost decode(const Words& words) { return {words.size}; }
};

// ---- all of them ----

template <typename... Kinds>
struct KindList {
  static constexpr std::size_t kSize = sizeof...(Kinds);
  static constexpr std::array<RecordKind, kSize> kKinds{Kinds::kKind...};
  static constexpr std::array<Payload, kSize> kPayloads{Kinds::kPayload...};

  /// Calls `visitor` with the record as its own type. @return false for a kind that is none of
  /// them.
  template <typename Visitor>
  static bool visit(RecordKind kind, const Words& words, Visitor&& visitor) {
    return ((kind == Kinds::kKind ? (visitor(Kinds::decode(words)), true) : false) || ...);
  }
};

/// In the order of RecordKind, where kNone and kPayload stand before them.
using AllKinds = KindList<Allocate,
                          Free,
                          ReallocBegin,
                          ReallocEnd,
                          ReallocFailed,
                          AllocationFailed,
                          LastLook,
                          LastValues,
                          Map,
                          MapFailed,
                          Unmap,
                          UnmapFailed,
                          Attach,
                          Detach,
                          RemapBegin,
                          RemapEnd,
                          RemapFailed,
                          Protect,
                          Advise,
                          Break,
                          Open,
                          Close,
                          Duplicate,
                          Read,
                          ReadAt,
                          GatheredReads,
                          FileAdvise,
                          Copy,
                          Fill,
                          DeviceBegin,
                          DeviceAllocate,
                          DeviceFailed,
                          DeviceFree,
                          DeviceMap,
                          DeviceUnmap,
                          ProcessBegin,
                          ThreadBegin,
                          ThreadEnd,
                          ThreadName,
                          Exec,
                          ExecFailed,
                          ChildEnded,
                          Module,
                          Load,
                          Unload,
                          Code,
                          CodeLines,
                          PhaseBegin,
                          PhaseEnd,
                          Lost>;

constexpr std::size_t kFirstKind = static_cast<std::size_t>(RecordKind::kPayload) + 1;
static_assert(
    [] {
      for (std::size_t i = 0; i < AllKinds::kSize; ++i) {
        if (AllKinds::kKinds[i] != static_cast<RecordKind>(kFirstKind + i))
          return false;
      }
      return AllKinds::kSize + kFirstKind == static_cast<std::size_t>(RecordKind::kCount);
    }(),
    "each kind has a type, in the order of RecordKind");

/// kNone for what is no kind, or not of this version.
constexpr Payload payload_of(RecordKind kind) {
  const auto index = static_cast<std::size_t>(kind) - kFirstKind;  // wraps for the first two
  return index < AllKinds::kSize ? AllKinds::kPayloads[index] : Payload::kNone;
}

/// Calls `visitor` with the record as its own type: a visitor that does not take one of them does
/// not compile. @return false for a kind that is not of this version.
template <typename Visitor>
bool visit_record(RecordKind kind, const Words& words, Visitor&& visitor) {
  return AllKinds::visit(kind, words, visitor);
}

}  // namespace tidemark::wire
