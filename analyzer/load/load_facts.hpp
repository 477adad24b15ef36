/// What a recorded load was: its peak, its model, its files and phases. What a report says, and
/// what the search for reasons starts from.
#pragma once

#include "analyzer/load/before_load.hpp"
#include "analyzer/load/high_water.hpp"
#include "analyzer/load/model_bytes.hpp"
#include "analyzer/load/phases.hpp"
#include "analyzer/load/scan.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/footprint/resident.hpp"
#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/query/footprint/unrecorded_peak.hpp"
#include "analyzer/query/pass/event_pass.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct LoadFacts {
  trace::Session session;
  std::vector<trace::Process> processes;
  std::uint64_t duration_ns = 0;
  std::uint64_t event_count = 0;
  EventCounts counts;

  Peak peak;
  std::optional<Phase> peak_phase;
  trace::LaneTotals lane_peaks;
  ResidentPeaks resident;
  std::uint64_t kernel_peak_rss_bytes = 0;  ///< The kernel's own mark of the largest process.
  HighWater high_water;
  /// The most private memory resident from the peak on: by a sample, or by the kernel's mark if
  /// that is above all earlier samples. 0: unknown.
  std::uint64_t private_since_peak_bytes = 0;
  /// Unexplained private memory, by a sample or by the kernel's own mark: the larger of the two.
  std::uint64_t unexplained_bytes = 0;
  std::uint64_t unexplained_kept_bytes = 0;  ///< The part that was freed, and is still resident.
  /// When that sample was taken; none if the kernel's mark, which has no time, says more, or if
  /// nothing is unexplained.
  std::optional<std::uint64_t> unexplained_at_ns;
  KeptMemory kept;  ///< Over a while, at its most.
  /// By large copies from block to block, in the whole run.
  std::uint64_t copied_bytes = 0;

  ModelBytes model;
  std::string model_note;  ///< Why the recording's own --model could not be used; usually empty.
  std::optional<BeforeLoad> before_load;  ///< What was in use then; none if little.
  std::vector<FileUse> files;
  std::vector<DeviceUse> device;  ///< The device lane by memory type.
  std::vector<Phase> phases;

  std::optional<trace::Event> last_failure;  ///< The last request that was refused.
  std::vector<NamedFrame> last_failure_stack;
  trace::Loss loss;
  bool summary_lost = false;  ///< Events are lost whose highest values are unknown, too.
  /// None if there are unrecorded programs of which nothing is known.
  std::optional<HighestPossible> with_unrecorded = HighestPossible{};

  /// peak / W; none while W is unknown.
  [[nodiscard]] std::optional<double> ratio() const;
  /// When the first file of the model was opened; UINT64_MAX where no opening of one was seen.
  [[nodiscard]] std::uint64_t model_opened_ns() const;
  /// Whether a footprint exceeds the weights by more than the usual extra of any load; true while W
  /// is unknown.
  [[nodiscard]] bool is_well_above_model(std::uint64_t bytes) const;
  /// Unrecorded programs ran, but cannot have raised the peak.
  [[nodiscard]] bool is_peak_above_unrecorded() const;
  /// `loss`, without such programs.
  [[nodiscard]] trace::Loss loss_of_peak() const;
  /// The peak is that of the remaining part of the recording; the lost part may have been higher.
  [[nodiscard]] bool is_peak_of_a_part() const {
    return loss.torn || loss.events_unwritten != 0 || summary_lost;
  }
  /// Something was not recorded, or is lost: what is not in the trace may have happened all the
  /// same.
  [[nodiscard]] bool may_lack_events() const {
    return loss.torn || loss.bytes_damaged != 0 || loss.hides_memory();
  }
  /// A request for memory failed, and soon after it the program exited by itself: with the memory
  /// it might have used more. Ignores file mappings, which fail for other reasons.
  [[nodiscard]] bool may_have_failed_for_memory() const;
  /// Requested private memory at the peak: heap and anonymous mappings.
  [[nodiscard]] std::uint64_t requested_at_peak() const {
    return peak.lanes[trace::Lane::kHeap] + peak.lanes[trace::Lane::kAnon];
  }
  /// Upper bound of memory requested at the peak and kept to the end that was never touched; all of
  /// it if no sample tells.
  [[nodiscard]] std::uint64_t untouched_at_most_bytes() const;
  /// Lower bound of memory requested but not resident at the peak; 0 if it is negligible, or
  /// neither a sample nor the kernel's mark tells.
  [[nodiscard]] std::uint64_t never_resident_bytes() const;
  /// For memory counted by looks, how much may have been touched after the last look: the excess of
  /// the kernel's mark over the peak and every sample; 0 if negligible.
  [[nodiscard]] std::uint64_t touched_late_bytes() const;
  [[nodiscard]] std::uint64_t lost_events() const {
    return loss.records_dropped + loss.events_unwritten + loss.events_damaged;
  }
};

/// One pass over the events, which `listeners` share.
/// @param timeline of the same trace.
/// @param peak as find_peak tells it.
/// @param model --model; replaces the one the recording was given.
/// @return kUsage when `model` is neither a size nor a file.
Result<LoadFacts> gather_facts(LoadedTrace& trace,
                               Timeline& timeline,
                               const Peak& peak,
                               const std::string& model,
                               std::span<PassListener* const> listeners);

}  // namespace tidemark::analyzer
