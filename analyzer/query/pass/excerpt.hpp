/// Condensed block of events: the few significant ones individually, the many small heap blocks in
/// between as sums.
#pragma once

#include "analyzer/query/footprint/resident.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// Smaller heap blocks are never named by a read, a copy or a fill.
constexpr std::uint64_t kLargeBlockBytes = 64U << 10U;

struct EventCounts {
  std::uint64_t allocations = 0;  ///< Blocks that came, heap and device; a realloc is one.
  std::uint64_t frees = 0;        ///< Blocks that went, heap and device; a realloc is one.
  std::uint64_t failed = 0;       ///< Requests refused, in any lane.
  std::uint64_t mappings = 0;     ///< Anonymous and file mappings that came.
  std::uint64_t file_reads = 0;

  EventCounts& operator+=(const EventCounts& other);
};

/// A significant event: any touch, open, read, failure or mark, any mapping or device memory, any
/// kReleasePart or kReleaseAll, any MADV_FREE; of plain heap blocks only large ones.
struct Passage {
  trace::Event event;
  trace::EventOrdinal ordinal = 0;      ///< The event's position in the trace.
  std::uint64_t footprint = 0;          ///< After it.
  std::uint64_t highest_footprint = 0;  ///< Since the passage before, this one included.
};

/// Tracked bytes over a stretch of events within one bucket of RecentMaximum and without a sample
/// in between.
struct ExplainedStretch {
  std::uint64_t begin_ns = 0;  ///< When its first event was.
  TrackedBytes highest{};      ///< Each by itself.
  TrackedBytes last{};
};

struct Excerpt {
  EventCounts counts;  ///< Counts over all events.
  std::vector<Passage> passages;
  std::vector<ExplainedStretch> explained;
  std::uint64_t highest_footprint = 0;  ///< After the last passage.
  /// Smallest plain heap release that is a passage: covers large blocks, and ones that shrank.
  std::uint64_t least_release_bytes = kLargeBlockBytes;
};

/// Makes the excerpt of one block as its events are read. The result depends only on the block, the
/// samples and `least_release_bytes`.
class ExcerptMaker {
 public:
  /// `samples` and `excerpt` stay borrowed; `excerpt` is replaced, its buffers are used again.
  ExcerptMaker(const trace::BlockSummary& block,
               const std::vector<ResidentTotals>& samples,
               std::uint64_t least_release_bytes,
               Excerpt& excerpt);

  void see(std::span<const trace::Event> events);
  /// After the last event.
  void finish() { excerpt_.highest_footprint = highest_; }

 private:
  void see(const trace::Event& event);
  void count(const trace::Event& event);
  void note_explained(std::uint64_t at_ns);
  void begin_stretch(std::uint64_t at_ns);
  bool is_telling(const trace::Event& event);

  const std::vector<ResidentTotals>& samples_;
  Excerpt& excerpt_;
  trace::LaneTotals totals_;
  trace::EventOrdinal ordinal_;
  std::uint64_t least_release_bytes_;
  std::uint64_t highest_ = 0;         // Footprint since the last passage.
  std::uint64_t stretch_end_ns_ = 0;  // Events from here on are in another stretch.
};

}  // namespace tidemark::analyzer
