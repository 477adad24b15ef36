#include "analyzer/load/scan.hpp"

#include <array>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::uint64_t explained(const trace::LaneTotals& totals) {
  return totals[trace::Lane::kHeap] + totals[trace::Lane::kAnon];
}

}  // namespace

Scan::Scan(const LoadedTrace& trace, const std::vector<ResidentTotals>& resident)
    : trace_(trace),
      resident_(resident),
      files_(trace.definitions()),
      device_(trace.definitions()),
      phases_(trace.definitions()),
      unexplained_(resident) {}

bool Scan::needs_events(std::size_t /*block*/,
                        const trace::BlockSummary& summary,
                        const trace::BlockDigest& /*digest*/) const {
  // A sample is compared with the totals of its moment, and those may be any between the extremes.
  constexpr std::uint64_t kNegligible = 256;
  const std::uint64_t most = explained(summary.maximum);
  return most - explained(summary.minimum) > most / kNegligible &&
         has_sample_in(resident_, summary.begin_ns, summary.end_ns);
}

void Scan::see(PassedBlock& block) {
  const trace::BlockDigest* digest = block.digest();
  if (digest != nullptr && !needs_events(block.number(), block.summary(), *digest)) {
    result_.counts +=
        {.allocations = digest->allocations, .frees = digest->frees, .mappings = digest->mappings};
    pass_over(block.summary());
  } else if (const Excerpt* excerpt = block.excerpt()) {
    see(*excerpt);
  } else {
    pass_over(block.summary());
  }
}

void Scan::see(const Excerpt& excerpt) {
  result_.counts += excerpt.counts;
  for (const ExplainedStretch& stretch : excerpt.explained) {
    unexplained_.see_until(stretch.begin_ns);
    unexplained_.see(stretch.begin_ns, stretch.highest);
    unexplained_.see(stretch.begin_ns, stretch.last);
  }
  for (const Passage& passage : excerpt.passages) {
    see(passage);
  }
  phases_.see_maximum(excerpt.highest_footprint);
}

void Scan::see(const Passage& passage) {
  files_.see(passage.event);
  device_.see(passage.event);
  phases_.see_maximum(passage.highest_footprint);
  phases_.see(passage.event, passage.footprint, passage.ordinal);
  if (passage.event.kind == trace::EventKind::kFail) {
    result_.last_failure = passage.event;
  }
}

void Scan::pass_over(const trace::BlockSummary& block) {
  unexplained_.see_until(block.begin_ns);
  // The highest totals of the block explain most: what is then unexplained surely is.
  unexplained_.see(block.begin_ns, explained(block.maximum));
  unexplained_.see_until(block.end_ns);
  unexplained_.see(block.end_ns, explained(block.at_end));
  phases_.see_maximum(block.maximum_footprint);
}

ScanResult Scan::take() {
  const auto blocks = trace_.blocks();
  unexplained_.see_until(UINT64_MAX);
  result_.files = files_.take();
  result_.device = device_.take();
  result_.phases =
      phases_.take(trace_.duration_ns(),
                   blocks.empty() ? 0 : blocks.back().first_event + blocks.back().event_count);
  result_.unexplained_bytes = unexplained_.most_bytes();
  return std::move(result_);
}

ScanResult scan(LoadedTrace& trace, const std::vector<ResidentTotals>& resident) {
  Scan scan(trace, resident);
  run_pass(trace, resident, std::array<PassListener*, 1>{&scan});
  return scan.take();
}

}  // namespace tidemark::analyzer
