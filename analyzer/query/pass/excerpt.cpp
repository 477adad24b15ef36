#include "analyzer/query/pass/excerpt.hpp"

#include <algorithm>

#include <sys/mman.h>

namespace tidemark::analyzer {

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  allocations += other.allocations;
  frees += other.frees;
  failed += other.failed;
  mappings += other.mappings;
  file_reads += other.file_reads;
  return *this;
}

ExcerptMaker::ExcerptMaker(const trace::BlockSummary& block,
                           const std::vector<ResidentTotals>& samples,
                           std::uint64_t least_release_bytes,
                           Excerpt& excerpt)
    : samples_(samples),
      excerpt_(excerpt),
      totals_(block.at_begin),
      ordinal_(block.first_event),
      least_release_bytes_(least_release_bytes) {
  excerpt_.counts = {};
  excerpt_.passages.clear();
  excerpt_.explained.clear();
  excerpt_.highest_footprint = 0;
  excerpt_.least_release_bytes = least_release_bytes;
}

void ExcerptMaker::see(std::span<const trace::Event> events) {
  for (const trace::Event& event : events) {
    see(event);
  }
}

inline void ExcerptMaker::see(const trace::Event& event) {
  trace::apply(event, totals_);
  highest_ = std::max(highest_, totals_.footprint());
  note_explained(event.at_ns);
  count(event);
  if (is_telling(event)) {
    excerpt_.passages.push_back({.event = event,
                                 .ordinal = ordinal_,
                                 .footprint = totals_.footprint(),
                                 .highest_footprint = highest_});
    highest_ = 0;
  }
  ++ordinal_;
}

inline void ExcerptMaker::count(const trace::Event& event) {
  EventCounts& counts = excerpt_.counts;
  const bool is_mapped = trace::is_mapped(event.lane);
  switch (event.kind) {
    case trace::EventKind::kAllocate:
      ++(is_mapped ? counts.mappings : counts.allocations);
      break;
    case trace::EventKind::kReallocate:
      ++(is_mapped ? counts.mappings : counts.allocations);
      counts.frees += is_mapped ? 0 : 1;
      break;
    case trace::EventKind::kRelease:
      counts.frees += is_mapped ? 0 : 1;
      break;
    case trace::EventKind::kFail:
      ++counts.failed;
      break;
    case trace::EventKind::kRead:
      ++counts.file_reads;
      break;
    default:
      break;
  }
}

inline void ExcerptMaker::note_explained(std::uint64_t at_ns) {
  if (at_ns >= stretch_end_ns_) {
    begin_stretch(at_ns);
  }
  ExplainedStretch& stretch = excerpt_.explained.back();
  stretch.last = TrackedBytes(totals_);
  stretch.highest.include(stretch.last);
}

void ExcerptMaker::begin_stretch(std::uint64_t at_ns) {
  excerpt_.explained.push_back({.begin_ns = at_ns});
  stretch_end_ns_ = RecentMaximum::bucket_end(at_ns);
  const auto sample = std::ranges::lower_bound(samples_, at_ns, {}, &ResidentTotals::at_ns);
  // A sample shows what was there until just before its time.
  if (sample != samples_.end() && sample->at_ns < stretch_end_ns_) {
    stretch_end_ns_ = sample->at_ns + 1;
  }
}

inline bool ExcerptMaker::is_telling(const trace::Event& event) {
  const bool is_plain = event.lane == trace::Lane::kHeap;
  switch (event.kind) {
    case trace::EventKind::kAllocate:
      return !is_plain || event.size >= kLargeBlockBytes;
    case trace::EventKind::kRelease:
      return !is_plain || event.size >= least_release_bytes_;
    case trace::EventKind::kReallocate:
      if (is_plain && event.released_size >= least_release_bytes_) {
        // It may have been large: then its release must be let through, however small it has
        // become.
        least_release_bytes_ = std::min(least_release_bytes_, event.size);
        return true;
      }
      return !is_plain || event.size >= kLargeBlockBytes;
    case trace::EventKind::kReleasePart:
      least_release_bytes_ = is_plain ? 0 : least_release_bytes_;
      return true;
    case trace::EventKind::kGrow:
    case trace::EventKind::kReleaseAll:
    case trace::EventKind::kFail:
    case trace::EventKind::kOpen:
    case trace::EventKind::kRead:
    case trace::EventKind::kPhaseBegin:
    case trace::EventKind::kPhaseEnd:
    case trace::EventKind::kCopy:
    case trace::EventKind::kFill:
    case trace::EventKind::kReadInto:
      return true;
    case trace::EventKind::kAdvise:
      return event.extra == MADV_FREE;
    default:
      return false;
  }
}

}  // namespace tidemark::analyzer
