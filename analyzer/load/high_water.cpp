#include "analyzer/load/high_water.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// A fork has its parent's pages from the beginning, and a mark that counts them; an exec drops
/// both.
std::uint64_t inherited_by(std::span<const trace::Process> processes, std::size_t index) {
  const trace::Process& process = processes[index];
  const bool was_execed = std::ranges::any_of(
      processes.first(index),
      [&](const trace::Process& earlier) { return earlier.pid == process.pid; });
  return was_execed || process.parent >= processes.size()
             ? 0
             : processes[process.parent].kernel_peak_rss_bytes;
}

/// Shared memory counts in the process that came to it first, and in the mark of each that maps it.
std::uint64_t explained_of(const trace::Process& process,
                           std::uint64_t file_bytes,
                           std::uint64_t shmem_bytes) {
  const std::uint64_t shared = process.peak[trace::Lane::kShared];
  return process.peak.footprint() - shared + std::max(shared, shmem_bytes) +
         std::max(process.lane_peaks[trace::Lane::kFile], file_bytes) + process.own_bytes;
}

/// Of a process that others wait for the mark is that of the last look, and it may have touched all
/// that it asked for since.
std::uint64_t at_most(std::span<const trace::Process> processes, std::size_t index) {
  const trace::Process& process = processes[index];
  const bool is_final =
      process.parent == trace::Process::kNoParent && process.kernel_peak_rss_bytes != 0;
  return is_final ? process.kernel_peak_rss_bytes
                  : std::max(process.kernel_peak_rss_bytes,
                             process.peak.footprint() + inherited_by(processes, index));
}

}  // namespace

std::uint64_t unexplained_at_high_water(std::span<const trace::Process> processes,
                                        std::uint64_t file_bytes,
                                        std::uint64_t shmem_bytes,
                                        std::span<const std::uint64_t> lazily_freed) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::uint64_t explained = explained_of(processes[i], file_bytes, shmem_bytes) +
                                    inherited_by(processes, i) + lazily_freed[i];
    const std::uint64_t mark = processes[i].kernel_peak_rss_bytes;
    most = std::max(most, mark - std::min(mark, explained));
  }
  return most;
}

bool is_mark_sampled(std::uint64_t mark, std::uint64_t sampled_bytes) {
  constexpr std::uint64_t kNegligiblePart = 100;
  return mark - std::min(mark, sampled_bytes) <= mark / kNegligiblePart;
}

std::uint64_t files_at_high_water(std::uint64_t mark,
                                  std::uint64_t sampled_bytes,
                                  std::uint64_t file_bytes) {
  return is_mark_sampled(mark, sampled_bytes) ? file_bytes : 2 * file_bytes;
}

std::uint64_t marks_at_once(std::span<const trace::Process> processes) {
  std::vector<std::pair<std::uint64_t, std::size_t>> ends;  // When, and who; earliest last.
  std::vector<std::size_t> begins(processes.size());
  for (std::size_t i = 0; i < processes.size(); ++i) {
    begins[i] = i;
    if (processes[i].end_ns != 0) {
      ends.emplace_back(processes[i].end_ns, i);
    }
  }
  std::ranges::sort(ends, std::ranges::greater{});
  std::ranges::stable_sort(begins, {}, [&](std::size_t i) { return processes[i].begin_ns; });
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const std::size_t began : begins) {
    // One that ends where another begins was an exec's image before it.
    for (; !ends.empty() && ends.back().first <= processes[began].begin_ns; ends.pop_back()) {
      sum -= std::min(sum, at_most(processes, ends.back().second));
    }
    sum += at_most(processes, began);
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace tidemark::analyzer
