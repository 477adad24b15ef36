/// A program's memory requests over its whole run, whatever it holds at the peak: by stack, by
/// size, by thread.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/alike/stack_groups.hpp"
#include "analyzer/usage/suppressions.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

enum class UsageGrouping : std::uint8_t {
  kNone,
  kTemporary,    ///< Stacks, by their temporary allocations.
  kLeaked,       ///< Stacks, by the bytes of heap blocks that nobody freed.
  kAllocations,  ///< Stacks, by their number of allocations.
  kSize,         ///< Powers of two.
  kThread,
};

/// `temporary`, `leaked`, `allocations`, `size`, `thread`; empty for kNone.
std::string_view grouping_word(UsageGrouping grouping);

/// An allocation is temporary if the next thing that its thread does with the heap is to give it
/// back: heaptrack's meaning, but thread by thread, so that it does not depend on what other
/// threads do meanwhile. A realloc frees a block and allocates one.
struct UsageCounts {
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;  ///< Their sum, as requested.
  std::uint64_t temporary = 0;
  std::uint64_t held_blocks = 0;  ///< At the peak; for kLeaked: never freed.
  std::uint64_t held_bytes = 0;
  /// The largest allocation; 0 for kLeaked, where it is not known.
  std::uint64_t largest_bytes = 0;
  std::uint64_t largest_at_ns = 0;  ///< When it was made.

  void note(std::uint64_t one_bytes, std::uint64_t at_ns) {
    if (one_bytes > largest_bytes) {
      largest_bytes = one_bytes;
      largest_at_ns = at_ns;
    }
  }
  UsageCounts& operator+=(const UsageCounts& other);
};

struct UsageRow {
  UsageCounts counts;
  /// For rows that are stacks: one of those that read the same.
  trace::StackId stack = trace::kNoStack;
  trace::ThreadId thread{0};
  std::uint64_t least_bytes = 0;  ///< For kSize: a power of two, or 0 for requests of no bytes.
};

/// What a suppression took out of the leaks.
struct SuppressedLeaks {
  std::string pattern;
  UsageCounts counts;  ///< `held_...` alone.
};

struct Usage {
  UsageGrouping by = UsageGrouping::kNone;
  UsageCounts all;
  std::vector<UsageRow> rows;  ///< Sizes in their order; other rows by what `by` names, most first.
  std::vector<SuppressedLeaks> suppressed;  ///< In the order of their file.
};

/// What rows are ordered by, those with most of it first.
std::uint64_t rank_of(UsageGrouping by, const UsageCounts& counts);

/// Decodes all blocks, unless only kLeaked is requested. kTemporary and kAllocations count heap and
/// device memory, as the report's number of allocations does; kLeaked the heap; kSize and kThread
/// all of the footprint, mappings too.
///
/// Leaked means never freed, in any process: the end of a process frees nothing.
/// @param peak whose blocks kSize and kThread count as held.
/// @param suppressions of leaks.
Usage usage_of(LoadedTrace& trace,
               const Instant& peak,
               UsageGrouping by,
               const std::vector<Suppression>& suppressions);
/// The same for each of several, in their order, for little more than one costs: the events are
/// counted in one pass, and stacks are read once.
/// @param readings of the same trace; may know its stacks from other lists.
std::vector<Usage> usages_of(LoadedTrace& trace,
                             const Instant& peak,
                             std::span<const UsageGrouping> groupings,
                             const std::vector<Suppression>& suppressions,
                             StackReadings& readings);

}  // namespace tidemark::analyzer
