/// Memory that glibc's malloc adds to the requested sizes.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// Overhead of a glibc chunk for a block of `bytes`: a word before it, and rounding. A chunk with
/// its own mapping has two words; the rest of its last page is not touched. Source: request2size in
/// glibc's malloc/malloc.c, for 64 bits.
constexpr std::uint64_t malloc_adds_to(std::uint64_t bytes) {
  constexpr std::uint64_t kWord = 8;
  constexpr std::uint64_t kAlignment = 16;
  constexpr std::uint64_t kMinChunk = 32;
  constexpr std::uint64_t kMappedFrom = 128U << 10U;  // M_MMAP_THRESHOLD, as it is at first.
  if (bytes >= kMappedFrom) {
    return 2 * kWord;
  }
  const std::uint64_t chunk = (bytes + kWord + kAlignment - 1) / kAlignment * kAlignment;
  return (chunk < kMinChunk ? kMinChunk : chunk) - bytes;
}

constexpr std::uint64_t kMinMallocAdds = 8;
constexpr std::uint64_t kMaxMallocAdds = 31;  // To a block of 1 byte, as a chunk has 32.

/// Whether this overhead may explain part of the unexplained resident memory, and is worth
/// mentioning: at least a fiftieth of the peak.
constexpr bool may_explain(std::uint64_t added, std::uint64_t unexplained, std::uint64_t peak) {
  constexpr std::uint64_t kHeadersPart = 50;
  const std::uint64_t worth_saying = peak / kHeadersPart;
  return worth_saying != 0 && unexplained >= worth_saying && added >= worth_saying;
}

/// For all heap blocks alive at an instant. Decodes all events before it; none if there are too
/// many.
std::optional<std::uint64_t> malloc_added_at(LoadedTrace& trace, const Instant& at);

}  // namespace tidemark::analyzer
