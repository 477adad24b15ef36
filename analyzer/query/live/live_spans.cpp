#include "analyzer/query/live/live_spans.hpp"

#include "analyzer/query/live/backward_walk.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/live/release_intervals.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

static_assert(kMaxSpanInstants < ReleaseIntervals::kMaxIntervals);

/// Reads a trace from its end to its start.
///
/// Instants are numbered 0 ... n-1. An event is in interval k if it is before the instants from k
/// on, and not before those below k. So an allocation in interval a that is released in interval r
/// is alive at a ... r-1.
class SpanWalk {
 public:
  using Visit = std::function<void(const LiveSpan& span)>;
  SpanWalk(const LoadedTrace& trace, std::span<const Instant> instants, const Visit& visit)
      : trace_(trace),
        instants_(instants),
        visit_(visit),
        interval_(instants.size()),
        released_(trace.event_count()) {}

  bool enter_block(std::size_t block) {
    if (block + 1 < trace_.blocks().size()) {
      released_.forget_from(trace_.blocks()[block + 1].first_allocation);
    }
    const std::uint32_t count = trace_.blocks()[block].event_count;
    enter_event(block, count == 0 ? 0 : count - 1);
    return interval_ == 0 || instants_[interval_ - 1].block != block ||
           instants_[interval_ - 1].events == 0;
  }
  void enter_event(std::size_t block, std::size_t events) {
    while (interval_ > 0 && position(instants_[interval_ - 1]) >
                                std::pair(block, static_cast<std::uint32_t>(events))) {
      --interval_;
    }
  }

  void begin(const trace::Event& event) {
    const std::size_t end = end_of(event);
    if (end <= interval_) {
      return;
    }
    LiveSpan span{.allocation = event, .bytes = event.size, .first = interval_};
    if (const auto own = changes_of_.find(event.allocation); own != changes_of_.end()) {
      // The last one was met first; each changes what the ones before it left.
      for (std::size_t i = own->second.size(); i-- > 0;) {
        const Resize& resize = own->second[i];
        if (resize.interval >= end) {
          break;
        }
        end_span(span, resize.interval);
        span.bytes = changed(span.bytes, resize.change);
      }
    }
    end_span(span, end);
  }
  void end(trace::AllocationNumber allocation, const trace::Event&) {
    released_.set(allocation, interval_);
  }
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event&) {
    changes_of_[allocation].push_back({interval_, change});
  }
  void end_all(const trace::Event& event) {
    if (const auto process = trace_.process_of(event.thread)) {
      emptied_[key_of(trace::index(*process), event.lane)] = interval_;
    }
  }
  void end_process(trace::ProcessId process, const trace::Event&) {
    ended_[trace::index(process)] = interval_;
  }

 private:
  struct Resize {
    std::size_t interval;
    std::int64_t change;
  };

  void end_span(LiveSpan& span, std::size_t end) const {
    span.end = end;
    if (span.first < end) {
      if (span.bytes != 0) {
        visit_(span);
      }
      span.first = end;
    }
  }

  /// The interval in which an allocation ends: by its own release, or by its process's end.
  [[nodiscard]] std::size_t end_of(const trace::Event& event) const {
    std::size_t end = released_.at(event.allocation).value_or(instants_.size());
    if ((ended_.empty() && emptied_.empty()) || !trace::ends_with_process(event.lane)) {
      return end;
    }
    const auto process = trace_.process_of(event.thread);
    if (!process) {
      return end;
    }
    const auto ended = ended_.find(trace::index(*process));
    end = std::min(end, ended == ended_.end() ? end : ended->second);
    const auto emptied = emptied_.find(key_of(trace::index(*process), event.lane));
    return std::min(end, emptied == emptied_.end() ? end : emptied->second);
  }

  const LoadedTrace& trace_;
  std::span<const Instant> instants_;
  const Visit& visit_;
  std::size_t interval_;  // Also: how many instants the walk has not yet passed.
  ReleaseIntervals released_;
  std::unordered_map<std::uint64_t, std::vector<Resize>> changes_of_;  // By allocation; last first.
  std::unordered_map<std::uint64_t, std::size_t> emptied_;             // Process and lane.
  std::unordered_map<std::uint32_t, std::size_t> ended_;               // Process.
};

}  // namespace

void visit_live_spans(LoadedTrace& trace,
                      std::span<const Instant> instants,
                      const std::function<void(const LiveSpan& span)>& visit) {
  if (instants.empty() || trace.blocks().empty()) {
    return;
  }
  SpanWalk walk(trace, instants, visit);
  walk_back(trace, {}, instants.back(), walk);
}

}  // namespace tidemark::analyzer
