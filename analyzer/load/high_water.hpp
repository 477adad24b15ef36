/// What the kernel's high-water marks of processes show beyond events and samples.
#pragma once

#include "analyzer/load/between_samples.hpp"
#include "analyzer/query/footprint/resident.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// From VmHWM, a process's highest resident memory, however short the peak, and whether or not a
/// sample caught it.
struct HighWater {
  /// Unexplained memory of one process: its mark less the most that it ever requested at once, the
  /// most that it can have had of mapped files, what MADV_FREE may have left resident, and
  /// tidemark's own. A lower bound, since each of these may have been less then. For the process
  /// with most of it; 0 if all may be explained.
  std::uint64_t unexplained_bytes = 0;
  /// The most private memory that was ever resident: by the samples, or if they missed a short
  /// peak, by the mark of the process with the most.
  std::uint64_t private_bytes = 0;
  /// The most private memory that one process's mark proves: the part that neither file pages and
  /// shared memory of the samples around it, nor mapped files can explain.
  std::uint64_t private_by_mark = 0;
  /// Whether memory that is counted only by looks was growing then: the missing part of
  /// `private_by_mark` may have been touched after the last look at it.
  bool is_mark_of_growth = false;
  /// Upper bound of private memory resident at any one time.
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
