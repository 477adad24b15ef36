/// Upper bounds of a process's memory between samples, before the first and after the last one.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Resident memory that is not the program's private memory.
struct NotPrivate {
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t own_bytes = 0;
};

/// One gap of one process: the samples around it, and what the events say about it.
struct BetweenSamples {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = UINT64_MAX;  ///< Where the process was still there at the end.
  NotPrivate before{};                ///< Zeros before the first one.
  NotPrivate after{};                 ///< Not set after the last one.
  bool is_first = true;
  bool is_last = true;
  /// VmHWM at its end, including tidemark's own memory: no more was resident until then.
  std::uint64_t mark = 0;
  bool has_risen = false;                ///< VmHWM rose: so much was resident within it.
  std::uint64_t new_file_bytes = 0;      ///< File pages that came in the 100 ms before it.
  std::uint64_t unmapped_bytes = 0;      ///< Unmapped files and shared memory.
  std::uint64_t lazily_freed_bytes = 0;  ///< By MADV_FREE.
  std::uint64_t grown_bytes = 0;         ///< Found touched by looks, and not counted before.

  /// Upper bound of private memory in the gap. A file page that was resident before and was not
  /// unmapped was resident all the time, unless it is missing afterwards.
  [[nodiscard]] std::uint64_t private_at_most() const;
};

/// Gathers them in the order of events.
class SampleGaps {
 public:
  SampleGaps(std::span<const trace::Process> processes, std::span<const trace::Sample> samples);

  void see(std::size_t process, const trace::Event& event);
  /// By process, each from its beginning to its end; one at least.
  [[nodiscard]] std::vector<std::vector<BetweenSamples>> take() { return std::move(gaps_); }

 private:
  std::vector<std::vector<BetweenSamples>> gaps_;
  std::vector<std::size_t> current_;  ///< By process: where the events are.
};

}  // namespace tidemark::analyzer
