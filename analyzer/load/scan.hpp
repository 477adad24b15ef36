/// Everything a report needs that only the events contain, gathered in one pass.
#pragma once

#include "analyzer/load/between_samples.hpp"
#include "analyzer/load/device_use.hpp"
#include "analyzer/load/file_use.hpp"
#include "analyzer/load/phases.hpp"
#include "analyzer/query/footprint/resident.hpp"
#include "analyzer/query/pass/event_pass.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::analyzer {

struct ScanResult {
  EventCounts counts;
  std::vector<FileUse> files;
  std::vector<DeviceUse> device;
  std::vector<Phase> phases;  ///< The marked ones.
  Unexplained unexplained;
  KeptMemory kept;
  std::uint64_t copied_bytes = 0;                 ///< By large copies from block to block.
  std::vector<std::vector<BetweenSamples>> gaps;  ///< By process.
  std::optional<trace::Event> last_failure;       ///< What an out-of-memory load asked for last.
};

/// Skips the events of blocks with allocations alone, whose digest and summary are enough. Damaged
/// blocks are passed over; what they held is in the trace's loss.
class Scan : public PassListener {
 public:
  /// Both stay borrowed.
  Scan(const LoadedTrace& trace, const std::vector<ResidentTotals>& resident);

  [[nodiscard]] bool needs_events(std::size_t block,
                                  const trace::BlockSummary& summary,
                                  const trace::BlockDigest& digest) const override;
  void see(PassedBlock& block) override;
  /// After the pass.
  /// @param trace that of the constructor.
  ScanResult take(LoadedTrace& trace);

 private:
  void see(const Excerpt& excerpt);
  void see(const Passage& passage);
  void see_tracked(std::uint64_t ns, const TrackedBytes& tracked);
  void pass_over(const trace::BlockSummary& block);

  const LoadedTrace& trace_;
  const std::vector<ResidentTotals>& resident_;
  FileUseCollector files_;
  DeviceUseCollector device_;
  PhaseCollector phases_;
  SampleGaps gaps_;
  // Two, since whether a driver takes its memory from the host is known only at its first
  // allocation.
  UnexplainedMeter unexplained_;
  UnexplainedMeter unexplained_with_device_;
  ScanResult result_;
};

/// A pass for the scan alone.
ScanResult scan(LoadedTrace& trace, const std::vector<ResidentTotals>& resident);

}  // namespace tidemark::analyzer
