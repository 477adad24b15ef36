/// What the kernel's own mark of a process says beyond the events and the samples.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <span>

namespace tidemark::analyzer {

/// Memory of one process that nothing explains, at the instant of its VmHWM, however short that was
/// and whether or not a sample fell on it: what is left of the mark after the most that the process
/// ever asked for at once, the most that it can have had of mapped files, what MADV_FREE may have
/// left there, and tidemark's own. At least so much was there: each of these may have been less
/// then.
/// @param file_bytes the most that was sampled of resident pages of files, of all processes
/// together.
/// @param shmem_bytes the same of shared memory.
/// @param lazily_freed by process: all bytes that it ever gave back by MADV_FREE.
/// @return of the process with most of it; 0 where all may be explained.
std::uint64_t unexplained_at_high_water(std::span<const trace::Process> processes,
                                        std::uint64_t file_bytes,
                                        std::uint64_t shmem_bytes,
                                        std::span<const std::uint64_t> lazily_freed);

/// The most that pages of files can have had of a process's mark: what was sampled of them. Where
/// the mark is notably above every sample, libraries may have come since: as much again.
/// @param sampled_bytes the highest resident memory of any sample, its `file_bytes` the most of
/// files.
std::uint64_t files_at_high_water(std::uint64_t mark,
                                  std::uint64_t sampled_bytes,
                                  std::uint64_t file_bytes);

/// Whether what the samples missed of it is no more than changes while one is taken.
bool is_mark_sampled(std::uint64_t mark, std::uint64_t sampled_bytes);

/// So much at most was resident at one time: the marks of all processes that were alive at once. The
/// mark of a child is that of the last look at it, so what it asked for and had of its parent's
/// counts where that is more.
std::uint64_t marks_at_once(std::span<const trace::Process> processes);

}  // namespace tidemark::analyzer
