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
  /// The most private memory that was resident from the peak on: by a sample, or by the kernel's
  /// own mark where that is above all samples before. 0: not known.
  std::uint64_t private_since_peak_bytes = 0;
  /// Of private memory, by a sample or by the kernel's own mark: whichever says more.
  std::uint64_t unexplained_bytes = 0;
  std::uint64_t unexplained_kept_bytes = 0;  ///< Of these: freed, and still resident.
  /// When that sample was taken; none where the kernel's mark says more, which has no time, and
  /// where nothing is unexplained.
  std::optional<std::uint64_t> unexplained_at_ns;
  KeptMemory kept;  ///< Over a while, at its most.

  ModelBytes model;
  std::string model_note;  ///< Why the recording's own --model could not be used; usually empty.
  std::optional<BeforeLoad> before_load;  ///< What stood then; none where it is nothing much.
  std::vector<FileUse> files;
  std::vector<DeviceUse> device;  ///< The device lane by memory type.
  std::vector<Phase> phases;

  std::optional<trace::Event> last_failure;  ///< The last request that was refused.
  std::vector<NamedFrame> last_failure_stack;
  trace::Loss loss;
  bool summary_lost = false;  ///< Events are gone of which not even the highest values are known.
  /// None where programs were not recorded of which nothing is known.
  std::optional<HighestPossible> with_unrecorded = HighestPossible{};

  /// peak / W; none while W is unknown.
  [[nodiscard]] std::optional<double> ratio() const;
  /// When the first file of the model was opened; UINT64_MAX where no opening of one was seen.
  [[nodiscard]] std::uint64_t model_opened_ns() const;
  /// Whether a footprint is higher than the weights by more than what any load has beside them;
  /// true while W is unknown.
  [[nodiscard]] bool is_well_above_model(std::uint64_t bytes) const;
  /// Programs ran unrecorded, and whatever they had, the peak was no higher with it.
  [[nodiscard]] bool is_peak_above_unrecorded() const;
  /// `loss`, without such programs.
  [[nodiscard]] trace::Loss loss_of_peak() const;
  /// The peak is that of what is left of the recording; what is gone may have been higher.
  [[nodiscard]] bool is_peak_of_a_part() const {
    return loss.torn || loss.events_unwritten != 0 || summary_lost;
  }
  /// Something was not recorded, or is gone: what is not in the trace may have been all the same.
  [[nodiscard]] bool may_lack_events() const {
    return loss.torn || loss.bytes_damaged != 0 || loss.hides_memory();
  }
  /// A request for memory was refused, and soon after it the program ended by a status of its own:
  /// it may have had more, had it been given it. Mappings of files are refused for other reasons.
  [[nodiscard]] bool may_have_failed_for_memory() const;
  /// Private memory, as it was requested: what stood in the heap and in anonymous mappings then.
  [[nodiscard]] std::uint64_t requested_at_peak() const {
    return peak.lanes[trace::Lane::kHeap] + peak.lanes[trace::Lane::kAnon];
  }
  /// Of what was requested at the peak and stayed to the end, no more can have been untouched to
  /// the end; all of it where no sample tells.
  [[nodiscard]] std::uint64_t untouched_at_most_bytes() const;
  /// So much at least of what was requested at the peak was not resident then; 0 where that is
  /// nothing to speak of, or neither a sample nor the kernel's mark tells.
  [[nodiscard]] std::uint64_t never_resident_bytes() const;
  /// So much may have been touched after the last look at it, of memory that counts as far as looks
  /// find it touched: what the kernel's mark leaves beyond the peak and every sample; 0 where that
  /// is nothing to speak of.
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
