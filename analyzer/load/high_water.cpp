#include "analyzer/load/high_water.hpp"

#include <algorithm>
#include <cstddef>

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

}  // namespace tidemark::analyzer
