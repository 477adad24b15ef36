/// What the kernel's own marks of processes say beyond the events and the samples.
#pragma once

#include "analyzer/load/between_samples.hpp"
#include "analyzer/query/footprint/resident.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// By VmHWM, the most that was resident of a process, however short that was and whether or not a
/// sample fell on it.
struct HighWater {
  /// Memory of one process that nothing explains: what is left of its mark after the most that it
  /// ever asked for at once, the most that it can have had of mapped files, what MADV_FREE may have
  /// left there, and tidemark's own. At least so much was there: each of these may have been less
  /// then. Of the process with most of it; 0 where all may be explained.
  std::uint64_t unexplained_bytes = 0;
  /// The most private memory that was ever resident: by the samples, or by the mark of the process
  /// with most of it where they missed a short peak.
  std::uint64_t private_bytes = 0;
  /// The most private memory that the mark of one process leaves: what of it neither the file pages
  /// and the shared memory of the samples beside it, nor what was mapped of files can explain.
  std::uint64_t private_by_mark = 0;
  /// Whether memory that counts only as far as looks find it touched was growing then: what is
  /// missing of `private_by_mark` may have been touched behind the last look at it.
  bool is_mark_of_growth = false;
  /// No more private memory than that was resident at any one time.
  std::uint64_t private_bytes_at_most = 0;
};

/// @param sampled and `gaps` by process: what its samples had, and what is known of the time
/// between them.
/// @param resident of all processes together.
HighWater high_water_of(std::span<const trace::Process> processes,
                        std::span<const SampledProcess> sampled,
                        std::span<const std::vector<BetweenSamples>> gaps,
                        const ResidentPeaks& resident);

}  // namespace tidemark::analyzer
