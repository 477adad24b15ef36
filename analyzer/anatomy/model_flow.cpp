#include "analyzer/anatomy/model_flow.hpp"

#include "analyzer/anatomy/flow_collector.hpp"
#include "analyzer/anatomy/model_files.hpp"
#include "analyzer/report.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// Blocks that are of no interest on their own: a small part of the peak.
constexpr std::uint64_t kNotablePart = 256;
/// A block that lives for a tenth of the load or less is a short-lived one.
constexpr std::uint64_t kShortPart = 10;

FlowBounds bounds_of(const LoadedTrace& trace, const Report& report, const ModelFiles& files) {
  std::uint64_t begin_ns = UINT64_MAX;
  std::uint64_t end_ns = report.peak.at.at_ns;
  for (const std::size_t i : files.files()) {
    begin_ns = std::min(begin_ns, report.files[i].first_use_ns);
    end_ns = std::max(end_ns, report.files[i].last_use_ns);
  }
  return {.peak = trace.ordinal(report.peak.at),
          .notable_bytes = std::max(kLargeBlockBytes, report.peak.footprint_bytes / kNotablePart),
          .short_life_ns = (end_ns - std::min(begin_ns, end_ns)) / kShortPart};
}

class FlowPass {
 public:
  FlowPass(LoadedTrace& trace, FlowCollector& collector, std::size_t peak_block)
      : trace_(trace), collector_(collector), peak_block_(peak_block) {}

  void see_block(std::size_t block) {
    if (!is_interesting(block)) {
      return;
    }
    const auto* events = trace_.events(block);
    if (events == nullptr) {
      return;  // Damaged; the trace's loss says so.
    }
    const trace::BlockSummary& summary = trace_.blocks()[block];
    trace::LaneTotals totals = summary.at_begin;
    std::uint64_t ordinal = summary.first_event;
    for (const trace::Event& event : *events) {
      trace::apply(event, totals);
      collector_.see(event, ordinal++, totals.footprint());
    }
  }

 private:
  /// Whether the block has anything that the collector must see.
  bool is_interesting(std::size_t block) {
    // A block that came and went between two touches matters at the peak alone.
    if (block == peak_block_) {
      return true;
    }
    const trace::BlockDigest* digest = trace_.digest(block);
    if (digest == nullptr || digest->has_others) {
      return true;
    }
    return std::ranges::any_of(digest->survivors, is_large) ||
           std::ranges::any_of(digest->releases, [this](const auto& release) {
             return collector_.knows(release.allocation);
           });
  }

  static bool is_large(const trace::BlockDigest::Survivor& survivor) {
    return survivor.bytes >= kLargeBlockBytes;
  }

  LoadedTrace& trace_;
  FlowCollector& collector_;
  std::size_t peak_block_;
};

}  // namespace

ModelFlow follow_model(LoadedTrace& trace, const Report& report) {
  const ModelFiles files(report, trace.definitions());
  FlowCollector collector(trace, files, bounds_of(trace, report, files));
  FlowPass pass(trace, collector, report.peak.at.block);
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    pass.see_block(block);
  }
  return collector.take();
}

}  // namespace tidemark::analyzer
