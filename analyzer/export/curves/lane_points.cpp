#include "analyzer/export/curves/lane_points.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tidemark::exports {
namespace {

class Curves {
 public:
  explicit Curves(const TimeSpan& span)
      : span_(span),
        columns_(span, CounterPoints::kColumns),
        lanes_(trace::kLaneCount, CounterPoints(span)),
        footprint_(span) {}

  void see_block(analyzer::LoadedTrace& trace, std::size_t block) {
    const trace::BlockSummary& summary = trace.blocks()[block];
    if (summary.end_ns < span_.begin_ns || summary.begin_ns > span_.end_ns) {
      return;
    }
    const bool is_narrow = span_.holds(summary.begin_ns) && span_.holds(summary.end_ns) &&
                           columns_.of(summary.begin_ns) == columns_.of(summary.end_ns);
    const auto* events = is_narrow ? nullptr : trace.events(block);
    if (events == nullptr) {
      see_summary(summary);
    } else {
      see_events(summary, *events);
    }
  }

  void see(std::uint64_t ns, const trace::LaneTotals& totals) {
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      lanes_.at(lane).add(ns, totals.bytes.at(lane));
    }
    footprint_.add(ns, totals.footprint());
  }

  LaneCurves take() {
    LaneCurves curves;
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      curves.lanes.at(lane) = lanes_.at(lane).take();
    }
    curves.footprint = footprint_.take();
    return curves;
  }

 private:
  void see_events(const trace::BlockSummary& summary, const std::vector<trace::Event>& events) {
    trace::LaneTotals totals = summary.at_begin;
    for (const trace::Event& event : events) {
      trace::apply(event, totals);
      see(event.at_ns, totals);
    }
  }

  /// Also for a damaged block, of which the summary is all that is known.
  void see_summary(const trace::BlockSummary& summary) {
    see(summary.begin_ns, summary.at_begin);
    const std::uint64_t high_ns =
        std::clamp(summary.maximum_at_ns, summary.begin_ns, summary.end_ns);
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      lanes_.at(lane).add(high_ns, summary.minimum.bytes.at(lane));
      lanes_.at(lane).add(high_ns, summary.maximum.bytes.at(lane));
    }
    footprint_.add(high_ns, summary.minimum_footprint);
    footprint_.add(high_ns, summary.maximum_footprint);
    see(summary.end_ns, summary.at_end);
  }

  TimeSpan span_;
  Columns columns_;
  std::vector<CounterPoints> lanes_;  // By Lane.
  CounterPoints footprint_;
};

trace::LaneTotals totals_at(analyzer::LoadedTrace& trace, std::uint64_t ns) {
  return trace.totals_at(trace.instant_at(ns)).value_or(trace::LaneTotals{});
}

}  // namespace

LaneCurves lane_curves(analyzer::LoadedTrace& trace, const TimeSpan& span) {
  Curves curves(span);
  if (span.begin_ns > 0) {
    curves.see(span.begin_ns, totals_at(trace, span.begin_ns - 1));
  } else {
    curves.see(0, {});
  }
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    curves.see_block(trace, block);
  }
  curves.see(span.end_ns, totals_at(trace, span.end_ns));
  return curves.take();
}

}  // namespace tidemark::exports
