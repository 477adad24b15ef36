/// The numbers of FORMAT.md that writer and reader share.
#pragma once

#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark::trace {

constexpr std::array<std::uint8_t, 8> kFileMagic{0x89, 't', 'i', 'd', 'e', 'm', 'k', '\n'};
constexpr std::uint16_t kMajorVersion = 2;
constexpr std::uint16_t kMinorVersion = 0;
constexpr std::uint32_t kTimeUnitNs = 100;
constexpr std::size_t kFileHeaderBytes = 32;

constexpr std::array<std::uint8_t, 4> kBlockMagic{'t', 'm', 'k', '#'};
constexpr std::size_t kBlockHeaderBytes = 32;
constexpr std::size_t kSummaryBytes = (9 + 4 * kLaneCount) * sizeof(std::uint64_t);

constexpr std::array<std::uint8_t, 8> kTrailerMagic{'t', 'm', 'k', 'i', 'n', 'd', 'x', '\n'};
constexpr std::size_t kTrailerBytes = 16;

enum class BlockType : std::uint8_t {
  kEvents = 1,
  kDefinitions = 2,
  kSamples = 3,
  kSession = 4,
  kIndex = 5,
};

enum class Packing : std::uint8_t { kStored = 0, kZstd = 1 };

constexpr std::uint32_t kMaxBlockEvents = 65'536;
constexpr std::size_t kMaxVarintBytes = 10;
constexpr std::size_t kMaxColumnBytesPerEvent = 2 * kMaxVarintBytes;
constexpr std::size_t kMaxTableBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxSessionBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxPackRatio = 128;
constexpr std::size_t kMaxStringBytes = 65'536;
constexpr std::size_t kMaxLocations = 30;
constexpr std::size_t kMaxCommandBytes = std::size_t{256} << 10;

enum class Column : std::uint8_t { kTag, kThread, kTime, kSize, kStack, kRef, kExtra };
constexpr std::size_t kColumnCount = 7;
/// The digest's column, which follows those of events.
constexpr std::size_t kDigestColumn = 7;
constexpr unsigned kDigestLaneBits = 3;
// Its flags.
constexpr std::uint64_t kDigestHasOthers = 1;
constexpr std::uint64_t kDigestHasEnds = 2;
/// A survivor's index, stack, thread and bytes, and as much for its release; counts and flags.
constexpr std::size_t kMaxDigestBytesPerEvent = 48;
constexpr std::size_t kMaxDigestBytes = 64;

// The tag byte of an event.
constexpr std::uint8_t kKindMask = 0x1f;
constexpr unsigned kLaneShift = 5;
constexpr std::uint8_t kLaneMask = 0x07;
static_assert(kLaneCount <= std::size_t{kLaneMask} + 1);
constexpr std::size_t kTagKinds = 32;
/// Added to kAllocate, kRelease and kReallocate in the tag if their sizes are stored.
constexpr std::uint8_t kExplicitKinds = 29;

/// Which of the optional columns a kind has.
struct KindColumns {
  bool size = false;
  bool stack = false;
  bool ref = false;
  bool extra = false;
};

/// By kind. Allocate, release and reallocate have conditional values besides: see FORMAT.md.
constexpr std::array<KindColumns, kTagKinds> kKindColumns = [] {
  std::array<KindColumns, kTagKinds> table{};
  table.fill({.size = true, .stack = true, .ref = true, .extra = true});
  const auto set = [&table](EventKind kind, KindColumns columns) {
    table[static_cast<std::size_t>(kind)] = columns;
  };
  set(EventKind::kAllocate, {.size = true, .stack = true, .ref = false, .extra = true});
  set(EventKind::kRelease, {.size = true, .stack = false, .ref = true, .extra = false});
  set(EventKind::kReallocate, {.size = true, .stack = true, .ref = true, .extra = true});
  for (const auto kind : {EventKind::kReleasePart, EventKind::kGrow})
    set(kind, {.size = true, .stack = false, .ref = true, .extra = false});
  for (const auto kind : {EventKind::kReleaseAll, EventKind::kAdvise, EventKind::kLost})
    set(kind, {.size = true, .stack = false, .ref = false, .extra = true});
  for (const auto kind : {EventKind::kFail, EventKind::kOpen, EventKind::kRead})
    set(kind, {.size = true, .stack = true, .ref = false, .extra = true});
  for (const auto kind :
       {EventKind::kClose, EventKind::kPhaseBegin, EventKind::kPhaseEnd, EventKind::kProcessBegin,
        EventKind::kProcessEnd, EventKind::kLoad, EventKind::kUnload})
    set(kind, {.size = false, .stack = false, .ref = false, .extra = true});
  for (const auto kind : {EventKind::kThreadBegin, EventKind::kThreadEnd})
    set(kind, {});
  return table;
}();

static_assert(kEventKindCount <= kExplicitKinds, "the tag byte has five bits for the kind");

}  // namespace tidemark::trace
