/// What the kernel's own marks of processes say beyond the events and the samples.
#pragma once

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
  /// No more than that. Where the marks of all processes that were alive at once are notably above
  /// every sample, all of them may have been private.
  std::uint64_t private_bytes_at_most = 0;
};

/// @param sampled and `lazily_freed` by process: what its samples had, and all bytes that it ever
/// gave back by MADV_FREE.
/// @param resident of all processes together.
HighWater high_water_of(std::span<const trace::Process> processes,
                        std::span<const SampledProcess> sampled,
                        const ResidentPeaks& resident,
                        std::span<const std::uint64_t> lazily_freed);

}  // namespace tidemark::analyzer
