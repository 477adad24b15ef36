#include "analyzer/export/curves/highest_instants.hpp"

#include <optional>

namespace tidemark::exports {
namespace {

class HighestOfColumns {
 public:
  HighestOfColumns(analyzer::LoadedTrace& trace, const TimeSpan& span, std::size_t count)
      : trace_(trace), span_(span), columns_(span, count), highest_(count) {}

  void see_block(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    if (summary.end_ns < span_.begin_ns || summary.begin_ns > span_.end_ns) {
      return;
    }
    const bool is_in_one = span_.holds(summary.begin_ns) && span_.holds(summary.end_ns) &&
                           columns_.of(summary.begin_ns) == columns_.of(summary.end_ns);
    const auto* events = is_in_one ? nullptr : trace_.events(block);
    if (events == nullptr) {
      see_summary(block, summary);
    } else {
      see_events(block, summary, *events);
    }
  }

  [[nodiscard]] std::vector<FootprintInstant> take() const {
    std::vector<FootprintInstant> found;
    for (const auto& instant : highest_) {
      if (instant) {
        found.push_back(*instant);
      }
    }
    return found;
  }

 private:
  void see_summary(std::size_t block, const trace::BlockSummary& summary) {
    const bool before_first = summary.maximum_at_event == trace::BlockSummary::kBeforeFirst;
    see({.block = block,
         .events = before_first ? 0 : summary.maximum_at_event + 1,
         .at_ns = summary.maximum_at_ns},
        summary.maximum_footprint);
  }

  void see_events(std::size_t block,
                  const trace::BlockSummary& summary,
                  const std::vector<trace::Event>& events) {
    trace::LaneTotals totals = summary.at_begin;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      trace::apply(events[i], totals);
      see({.block = block, .events = i + 1, .at_ns = events[i].at_ns}, totals.footprint());
    }
  }

  void see(const analyzer::Instant& at, std::uint64_t footprint_bytes) {
    if (!span_.holds(at.at_ns)) {
      return;
    }
    auto& highest = highest_[columns_.of(at.at_ns)];
    if (!highest || highest->footprint_bytes < footprint_bytes) {
      highest = FootprintInstant{.at = at, .footprint_bytes = footprint_bytes};
    }
  }

  analyzer::LoadedTrace& trace_;
  TimeSpan span_;
  Columns columns_;
  std::vector<std::optional<FootprintInstant>> highest_;
};

}  // namespace

std::vector<FootprintInstant> highest_instants(analyzer::LoadedTrace& trace,
                                               const TimeSpan& span,
                                               std::size_t count) {
  HighestOfColumns highest(trace, span, count);
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    highest.see_block(block);
  }
  return highest.take();
}

}  // namespace tidemark::exports
