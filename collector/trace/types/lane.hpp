/// The exact lanes: known from events alone. The sampled ones are in `Sample`.
///
/// What shows lanes goes through the table here. CONTRIBUTING.md says what a new one takes besides.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tidemark::trace {

/// The numbers are the file format's.
enum class Lane : std::uint8_t { kHeap = 0, kAnon = 1, kFile = 2, kDevice = 3, kShared = 4 };
constexpr std::size_t kLaneCount = 5;

struct LaneInfo {
  Lane lane = Lane::kHeap;
  const char* key = "";          ///< In JSON, CSV and options.
  const char* title = "";        ///< In a legend.
  const char* meaning = "";      ///< In a table: a few words.
  const char* suffix = "";       ///< Follows the name of a stack with memory of this lane.
  bool in_footprint = false;     ///< Requested by the program, until it gives it back.
  bool shown_when_empty = true;  ///< Also shown in tables if it was never used.
};

/// By Lane.
constexpr std::array<LaneInfo, kLaneCount> kLanes{{
    {.lane = Lane::kHeap,
     .key = "heap",
     .title = "heap",
     .meaning = "malloc, new: bytes requested",
     .in_footprint = true},
    {.lane = Lane::kAnon,
     .key = "anon",
     .title = "anonymous mappings",
     .meaning = "anonymous mmap, brk",
     .suffix = "  (anon)",
     .in_footprint = true},
    {.lane = Lane::kFile,
     .key = "file",
     .title = "file mappings (not in the peak)",
     .meaning = "file mappings: reserved, not footprint"},
    {.lane = Lane::kDevice,
     .key = "device",
     .title = "device",
     .meaning = "GPU memory",
     .suffix = "  (device)",
     .in_footprint = true,
     .shown_when_empty = false},
    {.lane = Lane::kShared,
     .key = "shared",
     .title = "shared memory",
     .meaning = "memfd, /dev/shm, MAP_SHARED, SysV",
     .suffix = "  (shared)",
     .in_footprint = true,
     .shown_when_empty = false},
}};

constexpr const LaneInfo& info_of(Lane lane) {
  return kLanes[static_cast<std::size_t>(lane)];
}
constexpr const char* key_of(Lane lane) {
  return info_of(lane).key;
}
constexpr bool in_footprint(Lane lane) {
  return info_of(lane).in_footprint;
}

/// Lanes of mapped address space; the others hold blocks of an allocator or a driver.
constexpr bool is_mapped(Lane lane) {
  return lane == Lane::kAnon || lane == Lane::kFile || lane == Lane::kShared;
}

/// Shared memory may outlive the process that made it.
constexpr bool ends_with_process(Lane lane) {
  return lane != Lane::kShared;
}

constexpr std::size_t kFootprintLaneCount =
    static_cast<std::size_t>(std::ranges::count(kLanes, true, &LaneInfo::in_footprint));

/// Lanes of the footprint, from the bottom of a picture up; then the others.
constexpr std::array<Lane, kLaneCount> kShownLanes = [] {
  std::array<Lane, kLaneCount> lanes{};
  std::size_t count = 0;
  for (const bool in_footprint : {true, false}) {
    for (const LaneInfo& info : kLanes) {
      if (info.in_footprint == in_footprint) {
        lanes[count++] = info.lane;
      }
    }
  }
  return lanes;
}();
constexpr std::array<Lane, kFootprintLaneCount> kFootprintLanes = [] {
  std::array<Lane, kFootprintLaneCount> lanes{};
  std::copy_n(kShownLanes.begin(), kFootprintLaneCount, lanes.begin());
  return lanes;
}();

static_assert(
    [] {
      for (std::size_t i = 0; i < kLaneCount; ++i) {
        if (kLanes[i].lane != static_cast<Lane>(i) || *kLanes[i].key == 0) {
          return false;
        }
      }
      return true;
    }(),
    "a row for each lane, by its number");

/// Bytes held in each exact lane at one instant.
struct LaneTotals {
  std::array<std::uint64_t, kLaneCount> bytes{};

  std::uint64_t& operator[](Lane lane) { return bytes[static_cast<std::size_t>(lane)]; }
  std::uint64_t operator[](Lane lane) const { return bytes[static_cast<std::size_t>(lane)]; }
  /// What the program asked for and has not given back. File mappings are reservations of the page
  /// cache and never part of it.
  [[nodiscard]] constexpr std::uint64_t footprint() const {
    // Asked for with every event: a loop over the lanes stays one.
    return [this]<std::size_t... kAt>(std::index_sequence<kAt...>) {
      return (bytes[static_cast<std::size_t>(kFootprintLanes[kAt])] + ...);
    }
    (std::make_index_sequence<kFootprintLaneCount>());
  }
  bool operator==(const LaneTotals&) const = default;
};

}  // namespace tidemark::trace
