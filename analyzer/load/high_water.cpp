#include "analyzer/load/high_water.hpp"

#include "collector/trace/types/less.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <unordered_set>
#include <utility>

namespace tidemark::analyzer {
namespace {

using trace::less;

/// Whether what the samples missed of it is no more than changes while one is taken.
/// @param sampled_bytes tidemark's own included, as they are in the mark.
bool is_mark_sampled(std::uint64_t mark, std::uint64_t sampled_bytes) {
  constexpr std::uint64_t kNegligiblePart = 100;
  return less(mark, sampled_bytes) <= mark / kNegligiblePart;
}

class Marks {
 public:
  Marks(std::span<const trace::Process> processes, std::span<const SampledProcess> sampled)
      : processes_(processes), sampled_(sampled), inherited_(processes.size()) {
    std::unordered_set<std::uint32_t> pids;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      most_file_bytes_ = std::max(most_file_bytes_, sampled[i].file_bytes);
      // A fork has its parent's pages from the beginning, and a mark that counts them; an exec
      // drops both.
      const bool was_execed = !pids.insert(processes[i].pid).second;
      if (!was_execed && processes[i].parent < processes.size()) {
        inherited_[i] = processes[processes[i].parent].kernel_peak_rss_bytes;
      }
    }
  }

  /// What a process had beyond all that may explain it.
  [[nodiscard]] std::uint64_t unexplained(std::size_t i,
                                          std::uint64_t shmem_bytes,
                                          std::uint64_t lazily_freed) const {
    const trace::Process& process = processes_[i];
    // Shared memory counts in the process that came to it first, and in the mark of each that maps
    // it.
    const std::uint64_t shared = process.peak[trace::Lane::kShared];
    const std::uint64_t explained =
        process.peak.footprint() - shared + std::max(shared, shmem_bytes) +
        std::max(process.lane_peaks[trace::Lane::kFile], file_bytes(i)) + process.own_bytes;
    return less(process.kernel_peak_rss_bytes, explained + inherited_[i] + lazily_freed);
  }

  /// What of its mark was private, at least.
  [[nodiscard]] std::uint64_t private_bytes(std::size_t i, std::uint64_t shmem_bytes) const {
    const std::uint64_t shared = std::max(processes_[i].peak[trace::Lane::kShared], shmem_bytes);
    return less(processes_[i].kernel_peak_rss_bytes,
                file_bytes(i) + shared + processes_[i].own_bytes);
  }

  /// So much at most was resident at one time; 0: only the samples tell.
  [[nodiscard]] std::uint64_t at_once() const {
    if (processes_.size() == 1 && processes_.front().kernel_peak_rss_bytes == 0) {
      return 0;
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> ends;  // When, and who; earliest last.
    std::vector<std::size_t> begins(processes_.size());
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      begins[i] = i;
      if (processes_[i].end_ns != 0) {
        ends.emplace_back(processes_[i].end_ns, i);
      }
    }
    std::ranges::sort(ends, std::ranges::greater{});
    std::ranges::stable_sort(begins, {}, [&](std::size_t i) { return processes_[i].begin_ns; });
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (const std::size_t began : begins) {
      // One that ends where another begins was an exec's image before it.
      for (; !ends.empty() && ends.back().first <= processes_[began].begin_ns; ends.pop_back()) {
        sum -= std::min(sum, at_most(ends.back().second));
      }
      sum += at_most(began);
      most = std::max(most, sum);
    }
    return most;
  }

 private:
  /// The most that pages of files can have had of a mark: what was sampled of them. Where the mark
  /// is notably above every sample, libraries may have come since.
  [[nodiscard]] std::uint64_t file_bytes(std::size_t i) const {
    constexpr std::uint64_t kMaxLateLibraries = std::uint64_t{32} << 20U;
    return is_mark_sampled(processes_[i].kernel_peak_rss_bytes, sampled_[i].with_own_bytes)
               ? sampled_[i].file_bytes
               : most_file_bytes_ + std::min(most_file_bytes_, kMaxLateLibraries);
  }

  /// Of a process that others wait for the mark is that of the last look, and it may have touched
  /// all that it asked for since.
  [[nodiscard]] std::uint64_t at_most(std::size_t i) const {
    const trace::Process& process = processes_[i];
    const std::uint64_t mark = process.kernel_peak_rss_bytes;
    const bool is_waited_for_by_tidemark = i == 0 && process.parent == trace::Process::kNoParent;
    return is_waited_for_by_tidemark && mark != 0
               ? mark
               : std::max(mark, process.peak.footprint() + inherited_[i]);
  }

  std::span<const trace::Process> processes_;
  std::span<const SampledProcess> sampled_;
  std::vector<std::uint64_t> inherited_;  ///< By process.
  std::uint64_t most_file_bytes_ = 0;     ///< Of any process, by the samples.
};

}  // namespace

HighWater high_water_of(std::span<const trace::Process> processes,
                        std::span<const SampledProcess> sampled,
                        const ResidentPeaks& resident,
                        std::span<const std::uint64_t> lazily_freed) {
  const Marks marks(processes, sampled);
  HighWater high{.private_bytes = resident.anon_bytes};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    high.unexplained_bytes = std::max(high.unexplained_bytes,
                                      marks.unexplained(i, resident.shmem_bytes, lazily_freed[i]));
    high.private_bytes = std::max(high.private_bytes, marks.private_bytes(i, resident.shmem_bytes));
  }
  const std::uint64_t at_once = marks.at_once();
  // Files may have had no pages by then, whatever they had at the time of another sample.
  high.private_bytes_at_most = is_mark_sampled(at_once, resident.with_own_bytes)
                                   ? high.private_bytes + less(at_once, resident.with_own_bytes)
                                   : std::max(high.private_bytes, at_once);
  return high;
}

}  // namespace tidemark::analyzer
