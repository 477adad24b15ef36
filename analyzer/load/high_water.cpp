#include "analyzer/load/high_water.hpp"

#include "collector/trace/types/less.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>

namespace tidemark::analyzer {
namespace {

using trace::less;

/// Whether the mark is above the samples by no more than can change while a sample is taken.
/// @param sampled_bytes including tidemark's own, as in the mark.
bool is_mark_sampled(std::uint64_t mark, std::uint64_t sampled_bytes) {
  constexpr std::uint64_t kNegligiblePart = 100;
  return less(mark, sampled_bytes) <= mark / kNegligiblePart;
}

/// Usual bytes of libraries' pages that come after the last sample.
constexpr std::uint64_t kUsualLateFiles = std::uint64_t{1} << 20U;
/// No more come at once.
constexpr std::uint64_t kMaxLateLibraries = std::uint64_t{32} << 20U;

/// A change, at some time, in how much may have been resident.
struct Change {
  std::uint64_t at_ns = 0;
  bool is_more = false;
  std::uint64_t bytes = 0;
};

class Marks {
 public:
  Marks(std::span<const trace::Process> processes,
        std::span<const SampledProcess> sampled,
        std::span<const std::vector<BetweenSamples>> gaps,
        const ResidentPeaks& resident)
      : processes_(processes),
        sampled_(sampled),
        gaps_(gaps),
        resident_(resident),
        is_fork_(processes.size()),
        forks_(processes.size()) {
    std::unordered_set<std::uint32_t> pids;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      most_file_bytes_ = std::max(most_file_bytes_, sampled[i].file_bytes);
      was_sampled_ = was_sampled_ || sampled[i].with_own_bytes != 0;
      // A fork has its parent's pages from the beginning, and a mark that counts them; an exec
      // drops both.
      const bool was_execed = !pids.insert(processes[i].pid).second;
      is_fork_[i] = !was_execed && processes[i].parent < processes.size();
      if (is_fork_[i]) {
        forks_[processes[i].parent].push_back(i);
      }
      if (processes[i].pid == processes.front().pid) {
        root_mark_ = std::max(root_mark_, processes[i].kernel_peak_rss_bytes);
      }
    }
  }

  /// The part of a process's memory that nothing can explain.
  [[nodiscard]] std::uint64_t unexplained(std::size_t i) const {
    const trace::Process& process = processes_[i];
    // Shared memory counts in the process that mapped it first, and in the mark of each that maps
    // it.
    const std::uint64_t shared = process.peak[trace::Lane::kShared];
    const std::uint64_t inherited =
        is_fork_[i] ? processes_[process.parent].kernel_peak_rss_bytes : 0;
    const std::uint64_t explained =
        process.peak.footprint() - shared + shared_bytes(i) +
        std::max({process.lane_peaks[trace::Lane::kFile], file_bytes(i), file_bytes_at_mark(i)}) +
        process.own_bytes;
    std::uint64_t lazily_freed = 0;
    for (const BetweenSamples& gap : gaps_[i]) {
      lazily_freed += gap.lazily_freed_bytes;
    }
    return less(process.kernel_peak_rss_bytes, explained + inherited + lazily_freed);
  }

  /// How much of its mark was private at least. For programs that ended before the first sample,
  /// the pages of their libraries are not known.
  [[nodiscard]] std::uint64_t private_bytes(std::size_t i) const {
    const std::uint64_t files =
        was_sampled_ ? std::max(file_bytes(i), file_bytes_at_mark(i)) : kMaxLateLibraries;
    return less(processes_[i].kernel_peak_rss_bytes,
                files + shared_bytes(i) + processes_[i].own_bytes);
  }

  /// Adds what its marks leave for private memory, gap by gap, to `high`.
  void add_private_by_mark(std::size_t i, HighWater& high) const {
    constexpr std::uint64_t kNotableGrowth = std::uint64_t{1} << 20U;
    // Before the gap: within it, freeing may have come after the mark.
    std::uint64_t lazily_freed = 0;
    std::optional<std::size_t> highest;
    for (std::size_t at = 0; at < gaps_[i].size(); ++at) {
      const BetweenSamples& gap = gaps_[i][at];
      const std::uint64_t bytes =
          is_told_apart(i, gap) ? less(gap.mark, not_private(i, gap) + lazily_freed) : 0;
      if (bytes > high.private_by_mark) {
        high.private_by_mark = bytes;
        highest = at;
      }
      lazily_freed += gap.lazily_freed_bytes;
    }
    if (highest) {
      high.is_mark_of_growth = grown_lately(i, *highest) >= kNotableGrowth;
    }
  }

  /// The most private memory that was resident at one time; 0: only known from samples.
  [[nodiscard]] std::uint64_t private_at_once() const {
    if (processes_.size() == 1 && processes_.front().kernel_peak_rss_bytes == 0) {
      return 0;
    }
    std::vector<Change> changes;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      for (const BetweenSamples& gap : gaps_[i]) {
        if (gap.begin_ns != gap.end_ns) {
          const std::uint64_t bytes = at_most(i, gap);
          changes.push_back({gap.begin_ns, true, bytes});
          changes.push_back({gap.end_ns, false, bytes});
        }
      }
    }
    // A process that ends where another begins was the image before an exec.
    std::ranges::stable_sort(
        changes, {}, [](const Change& change) { return std::pair(change.at_ns, change.is_more); });
    return highest_of(changes);
  }

 private:
  static std::uint64_t highest_of(std::span<const Change> changes) {
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (const Change& change : changes) {
      sum = change.is_more ? sum + change.bytes : less(sum, change.bytes);
      most = std::max(most, sum);
    }
    return most;
  }

  [[nodiscard]] std::uint64_t shared_bytes(std::size_t i) const {
    return std::max(processes_[i].peak[trace::Lane::kShared], resident_.shmem_bytes);
  }

  /// The most that file pages can have had of a mark: what was sampled of them. If the mark is
  /// notably above every sample, libraries may have come since.
  [[nodiscard]] std::uint64_t file_bytes(std::size_t i) const {
    return is_mark_sampled(processes_[i].kernel_peak_rss_bytes, sampled_[i].with_own_bytes)
               ? sampled_[i].file_bytes
               : most_file_bytes_ + std::min(most_file_bytes_, kMaxLateLibraries);
  }

  /// The same by the samples around the time when the mark was reached: includes a mapped file that
  /// was filled at once (MAP_POPULATE), and was unmapped, or the process gone, before the next
  /// sample.
  [[nodiscard]] std::uint64_t file_bytes_at_mark(std::size_t i) const {
    const auto risen =
        std::find_if(gaps_[i].rbegin(), gaps_[i].rend(), std::mem_fn(&BetweenSamples::has_risen));
    if (risen == gaps_[i].rend() || (risen->is_first && risen->is_last)) {
      return 0;
    }
    if (!risen->is_last) {
      return std::max(risen->before.file_bytes, risen->after.file_bytes) + risen->unmapped_bytes;
    }
    // Mappings that are no larger than all file pages that were seen may be among these.
    const std::uint64_t mapped = processes_[i].lane_peaks[trace::Lane::kFile];
    return risen->before.file_bytes < mapped
               ? risen->before.file_bytes + std::max(risen->new_file_bytes, kUsualLateFiles) +
                     mapped
               : 0;
  }

  /// Whether its mark was reached within the gap, and samples distinguish file pages from others
  /// there. They count only a part of pages that processes share, while the mark counts all.
  [[nodiscard]] bool is_told_apart(std::size_t i, const BetweenSamples& gap) const {
    return gap.has_risen && !(gap.is_first && gap.is_last) && !is_fork_[i] && !shares_pages(i, gap);
  }

  [[nodiscard]] bool shares_pages(std::size_t i, const BetweenSamples& gap) const {
    constexpr std::uint64_t kLateLookNs = 100'000'000;
    return std::ranges::any_of(forks_[i], [&](std::size_t fork) {
      const trace::Process& child = processes_[fork];
      return child.begin_ns <= gap.end_ns &&
             (child.end_ns == 0 || gap.begin_ns < child.end_ns + kLateLookNs);
    });
  }

  /// The most that file pages, shared memory and tidemark can have had of a mark within the gap.
  /// After the last sample a mapped file may have been read, and libraries may have come as they
  /// did before it.
  [[nodiscard]] std::uint64_t not_private(std::size_t i, const BetweenSamples& gap) const {
    const trace::Process& process = processes_[i];
    const std::uint64_t shared = shared_bytes(i);
    if (gap.is_last) {
      return gap.before.file_bytes + std::max(gap.new_file_bytes, kUsualLateFiles) +
             process.lane_peaks[trace::Lane::kFile] + shared +
             std::max(gap.before.own_bytes, process.own_bytes);
    }
    return std::max(gap.before.file_bytes, gap.after.file_bytes) + gap.unmapped_bytes + shared +
           std::max(gap.before.own_bytes, gap.after.own_bytes);
  }

  /// What looks found touched within the gap and in the 100 ms before it.
  [[nodiscard]] std::uint64_t grown_lately(std::size_t i, std::size_t at) const {
    constexpr std::uint64_t kRecentNs = 100'000'000;
    const std::vector<BetweenSamples>& gaps = gaps_[i];
    std::uint64_t bytes = gaps[at].grown_bytes;
    for (std::size_t j = at; j-- > 0 && gaps[j].end_ns + kRecentNs >= gaps[at].begin_ns;) {
      bytes += gaps[j].grown_bytes;
    }
    return bytes;
  }

  /// After its last sample, a process may have touched all that it asked for, besides what it had
  /// from its parent. The kernel's final mark may be known if it was waited for.
  [[nodiscard]] std::uint64_t at_most(std::size_t i, const BetweenSamples& gap) const {
    const trace::Process& process = processes_[i];
    if (!gap.is_last) {
      return gap.private_at_most();
    }
    const std::uint64_t by_requests =
        std::max(gap.private_at_most(), process.peak.footprint() + inherited(i));
    const std::uint64_t last_mark = last_mark_of(process);
    if (last_mark == 0) {
      return by_requests;
    }
    BetweenSamples last = gap;
    last.mark = std::max(gap.mark, last_mark);  // Never below a sample, whatever a host says.
    return process.kernel_peak_rss_bytes == last_mark
               ? gap.private_at_most()
               : std::min(last.private_at_most(), by_requests);
  }

  /// The last mark over all its images, which is that of the one that had most. 0: not known.
  [[nodiscard]] std::uint64_t last_mark_of(const trace::Process& process) const {
    const bool is_waited_for_by_tidemark = process.pid == processes_.front().pid &&
                                           processes_.front().parent == trace::Process::kNoParent;
    return is_waited_for_by_tidemark ? root_mark_ : process.rss_at_most_bytes;
  }

  /// The most that the parent can have had in memory at the fork.
  [[nodiscard]] std::uint64_t inherited(std::size_t i) const {
    if (!is_fork_[i]) {
      return 0;
    }
    for (const BetweenSamples& gap : gaps_[processes_[i].parent]) {
      if (gap.is_last || gap.end_ns > processes_[i].begin_ns) {
        return gap.mark;
      }
    }
    return 0;
  }

  std::span<const trace::Process> processes_;
  std::span<const SampledProcess> sampled_;
  std::span<const std::vector<BetweenSamples>> gaps_;
  const ResidentPeaks& resident_;
  std::vector<bool> is_fork_;  ///< By process.
  std::vector<std::vector<std::size_t>> forks_;
  std::uint64_t most_file_bytes_ = 0;  ///< The highest of any process, by the samples,
  bool was_sampled_ = false;           ///< if there are any.
  std::uint64_t root_mark_ = 0;        ///< The first process's, the highest of its images.
};

}  // namespace

HighWater high_water_of(std::span<const trace::Process> processes,
                        std::span<const SampledProcess> sampled,
                        std::span<const std::vector<BetweenSamples>> gaps,
                        const ResidentPeaks& resident) {
  const Marks marks(processes, sampled, gaps, resident);
  HighWater high{.private_bytes = resident.anon_bytes};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    high.unexplained_bytes = std::max(high.unexplained_bytes, marks.unexplained(i));
    high.private_bytes = std::max(high.private_bytes, marks.private_bytes(i));
    marks.add_private_by_mark(i, high);
  }
  high.private_bytes_at_most =
      std::max({high.private_bytes, high.private_by_mark, marks.private_at_once()});
  return high;
}

}  // namespace tidemark::analyzer
