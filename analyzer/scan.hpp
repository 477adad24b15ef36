/// Everything a report needs that only the events themselves know, gathered in one pass.
#pragma once

#include "analyzer/device_use.hpp"
#include "analyzer/file_use.hpp"
#include "analyzer/phases.hpp"
#include "analyzer/resident.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::analyzer {

struct EventCounts {
  std::uint64_t allocations = 0;  ///< Blocks that came, heap and device; a realloc is one.
  std::uint64_t frees = 0;        ///< Blocks that went, heap and device; a realloc is one.
  std::uint64_t failed = 0;       ///< Requests refused, in any lane.
  std::uint64_t mappings = 0;     ///< Anonymous and file mappings that came.
  std::uint64_t file_reads = 0;
};

struct ScanResult {
  EventCounts counts;
  std::vector<FileUse> files;
  std::vector<DeviceUse> device;
  std::vector<Phase> phases;  ///< The marked ones.
  std::uint64_t unexplained_bytes = 0;
  std::optional<trace::Event> last_failure;  ///< What an out-of-memory load asked for last.
};

/// Goes through every block once. Blocks of nothing but allocations are not decoded: their digest and
/// summary say enough. Damaged blocks are passed over; what they held is in the trace's loss.
ScanResult scan(LoadedTrace& trace, const std::vector<ResidentTotals>& resident);

}  // namespace tidemark::analyzer
