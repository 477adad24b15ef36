#include "analyzer/load/scan.hpp"

#include "analyzer/query/footprint/program_end.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::uint64_t explained(const trace::LaneTotals& totals) {
  const TrackedBytes tracked(totals);
  return tracked.asked + tracked.device;
}

}  // namespace

Scan::Scan(const LoadedTrace& trace, const std::vector<ResidentTotals>& resident)
    : trace_(trace),
      resident_(resident),
      files_(trace.definitions()),
      device_(trace.definitions()),
      phases_(trace.definitions()),
      gaps_(trace.definitions().processes, trace.samples()),
      unexplained_(resident, DeviceMemory::kElsewhere, trace.definitions().heap_looks),
      unexplained_with_device_(resident, DeviceMemory::kPrivate, trace.definitions().heap_looks) {}

bool Scan::needs_events(std::size_t /*block*/,
                        const trace::BlockSummary& summary,
                        const trace::BlockDigest& /*digest*/) const {
  // A sample is compared with the totals of its moment, and those may be any between the extremes;
  // and with what looks found touched shortly before it.
  constexpr std::uint64_t kNegligible = 256;
  constexpr std::uint64_t kShortlyNs = 100'000'000;
  const std::uint64_t most = explained(summary.maximum);
  return most - std::min(most, explained(summary.minimum)) > most / kNegligible &&
         has_sample_in(resident_, summary.begin_ns, summary.end_ns + kShortlyNs);
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
    see_tracked(stretch.begin_ns, stretch.highest);
    see_tracked(stretch.begin_ns, stretch.last);
  }
  for (const Passage& passage : excerpt.passages) {
    see(passage);
  }
  phases_.see_maximum(excerpt.highest_footprint);
}

void Scan::see_tracked(std::uint64_t ns, const TrackedBytes& tracked) {
  for (UnexplainedMeter* const meter : {&unexplained_, &unexplained_with_device_}) {
    meter->see_until(ns);
    meter->see(ns, tracked);
  }
}

void Scan::see(const Passage& passage) {
  files_.see(passage.event);
  device_.see(passage.event);
  phases_.see_maximum(passage.highest_footprint);
  phases_.see(passage.event, passage.footprint, passage.ordinal);
  if (passage.event.kind == trace::EventKind::kFail) {
    result_.last_failure = passage.event;
  }
  if (passage.event.kind == trace::EventKind::kCopy &&
      passage.event.released != trace::kNoAllocation &&
      passage.event.allocation != trace::kNoAllocation) {
    result_.copied_bytes += passage.event.size;
  }
  const auto& thread = trace_.definitions().threads[trace::index(passage.event.thread)];
  gaps_.see(trace::index(thread.process), passage.event);
}

void Scan::pass_over(const trace::BlockSummary& block) {
  // The highest totals of the block explain most: what they leave unexplained certainly is.
  see_tracked(block.begin_ns, TrackedBytes(block.maximum));
  see_tracked(block.end_ns, TrackedBytes(block.at_end));
  phases_.see_maximum(block.maximum_footprint);
}

ScanResult Scan::take(LoadedTrace& trace) {
  const auto blocks = trace_.blocks();
  result_.files = files_.take();
  result_.gaps = gaps_.take();
  result_.device = device_.take();
  result_.phases =
      phases_.take(trace_.duration_ns(),
                   blocks.empty() ? 0 : blocks.back().first_event + blocks.back().event_count);
  const bool is_private = std::ranges::any_of(result_.device, &DeviceUse::is_private);
  UnexplainedMeter& meter = is_private ? unexplained_with_device_ : unexplained_;
  meter.see_until(UINT64_MAX);
  result_.unexplained = meter.most();
  result_.kept = meter.most_kept(trace_.duration_ns());
  if (result_.kept.bytes != 0) {
    const auto shutdown_ns = program_shutdown_ns(trace);
    result_.kept = meter.most_kept(trace_.duration_ns(), shutdown_ns.value_or(UINT64_MAX));
  }
  return std::move(result_);
}

ScanResult scan(LoadedTrace& trace, const std::vector<ResidentTotals>& resident) {
  Scan scan(trace, resident);
  run_pass(trace, resident, std::array<PassListener*, 1>{&scan});
  return scan.take(trace);
}

}  // namespace tidemark::analyzer
