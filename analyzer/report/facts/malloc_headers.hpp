/// What glibc's malloc takes for blocks beyond what was asked for.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// What a chunk of glibc's has beyond its block of so many bytes: a word in front of it, and what
/// it is rounded up by. A chunk of its own mapping has two words; the rest of its last page is not
/// touched. Source: request2size in glibc's malloc/malloc.c, for 64 bits.
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

constexpr std::uint64_t kLeastMallocAdds = 8;
constexpr std::uint64_t kMostMallocAdds = 31;  // To a block of 1 byte, as a chunk has 32.

/// Whether that may explain some of what is resident and nothing else explains: worth a word are a
/// fiftieth of the peak and more.
constexpr bool may_explain(std::uint64_t added, std::uint64_t unexplained, std::uint64_t peak) {
  constexpr std::uint64_t kHeadersPart = 50;
  const std::uint64_t worth_saying = peak / kHeadersPart;
  return worth_saying != 0 && unexplained >= worth_saying && added >= worth_saying;
}

/// Of all heap blocks that are alive at an instant. Decodes all events before it: none where these
/// are too many for that.
std::optional<std::uint64_t> malloc_added_at(LoadedTrace& trace, const Instant& at);

}  // namespace tidemark::analyzer
