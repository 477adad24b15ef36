#include "analyzer/scan.hpp"

namespace tidemark::analyzer {
namespace {

void count(const trace::Event& event, EventCounts& counts) {
  const bool is_mapped = event.lane == trace::Lane::kAnon || event.lane == trace::Lane::kFile;
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

std::uint64_t explained(const trace::LaneTotals& totals) {
  return totals[trace::Lane::kHeap] + totals[trace::Lane::kAnon];
}

class Scan {
 public:
  Scan(LoadedTrace& trace, const std::vector<ResidentTotals>& resident)
      : trace_(trace),
        files_(trace.definitions()),
        device_(trace.definitions()),
        phases_(trace.definitions()),
        unexplained_(resident) {}

  void see_block(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    totals_ = summary.at_begin;
    if (see_digest(block, summary)) {
      return;
    }
    const auto* events = trace_.events(block);
    if (events == nullptr) {
      pass_over(summary);
      return;
    }
    std::uint64_t ordinal = summary.first_event;
    for (const trace::Event& event : *events) {
      see(event, ordinal++);
    }
  }

  ScanResult take() {
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

 private:
  void see(const trace::Event& event, std::uint64_t ordinal) {
    unexplained_.see_until(event.at_ns);
    trace::apply(event, totals_);
    unexplained_.see(event.at_ns, totals_);
    count(event, result_.counts);
    files_.see(event);
    device_.see(event);
    phases_.see(event, totals_.footprint(), ordinal);
    if (event.kind == trace::EventKind::kFail) {
      result_.last_failure = event;
    }
  }

  /// @return false when the block's events must be seen.
  bool see_digest(std::size_t block, const trace::BlockSummary& summary) {
    // A sample is compared with the totals of its moment, and those may be any between the
    // extremes.
    constexpr std::uint64_t kNegligible = 256;
    const std::uint64_t most = explained(summary.maximum);
    if (most - explained(summary.minimum) > most / kNegligible &&
        unexplained_.has_sample_in(summary.begin_ns, summary.end_ns)) {
      return false;
    }
    const trace::BlockDigest* digest = trace_.digest(block);
    if (digest == nullptr || digest->has_others) {
      return false;
    }
    result_.counts.allocations += digest->allocations;
    result_.counts.frees += digest->frees;
    result_.counts.mappings += digest->mappings;
    pass_over(summary);
    return true;
  }

  void pass_over(const trace::BlockSummary& block) {
    unexplained_.see_until(block.begin_ns);
    // The highest totals of the block explain most: what is then unexplained surely is.
    unexplained_.see(block.begin_ns, block.maximum);
    unexplained_.see_until(block.end_ns);
    unexplained_.see(block.end_ns, block.at_end);
    phases_.see_maximum(block.maximum_footprint);
    totals_ = block.at_end;
  }

  LoadedTrace& trace_;
  trace::LaneTotals totals_;
  FileUseCollector files_;
  DeviceUseCollector device_;
  PhaseCollector phases_;
  UnexplainedMeter unexplained_;
  ScanResult result_;
};

}  // namespace

ScanResult scan(LoadedTrace& trace, const std::vector<ResidentTotals>& resident) {
  Scan scan(trace, resident);
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    scan.see_block(block);
  }
  return scan.take();
}

}  // namespace tidemark::analyzer
