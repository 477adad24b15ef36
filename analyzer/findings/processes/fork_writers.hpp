/// Processes that have written, and so have for themselves, what they had from the one that forked
/// them.
#pragma once

#include "analyzer/findings/processes/model_holders.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// A forked process, and what it has written of its parent's memory.
struct ForkWriter {
  trace::ProcessId process{0};
  trace::AllocationNumber allocation = trace::kNoAllocation;
  std::uint64_t bytes = 0;  ///< At the peak.
  trace::StackId stack = trace::kNoStack;
};

/// Those that have written the model.
struct ForkWriters {
  std::vector<ForkWriter> of_memory;  ///< Their parent had it in its memory.
  /// Their parent had mapped it; looked for only where there are none of the others.
  std::vector<ForkWriter> of_mapping;
};

/// @param holders see find_holders.
ForkWriters find_fork_writers(const Evidence& evidence,
                              const std::map<trace::ProcessId, ModelHolder>& holders);

/// Saves all that these ever had: they grow as they are written.
Savings savings_of(std::span<const ForkWriter> writers, LoadedTrace& trace);

}  // namespace tidemark::analyzer
