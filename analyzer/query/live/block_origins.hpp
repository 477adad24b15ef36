/// Where blocks come from that were moved or resized: their first allocations.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace tidemark::analyzer {

/// The block of events in which an allocation begins; 0 if there is none.
std::size_t block_of(const LoadedTrace& trace, trace::AllocationNumber allocation);

/// Follows reallocations (realloc, mremap) back to the allocation that each block began as: a block
/// has that one's age. Goes from later to earlier blocks of events, and decodes only those in which
/// an allocation of a chain begins. Memory: some 100 bytes for each block sought.
class BlockOrigins {
 public:
  struct Origin {
    trace::AllocationNumber first = trace::kNoAllocation;
    std::uint64_t at_ns = 0;
    trace::ThreadId thread{0};
  };

  /// `trace` stays borrowed.
  explicit BlockOrigins(LoadedTrace& trace) : trace_(trace) {}

  /// Call before the first step.
  /// @param earlier the allocation that `allocation` is known to come from; or itself.
  void seek(trace::AllocationNumber allocation, trace::AllocationNumber earlier);
  /// Goes through one block of events. @return false when there is nothing left.
  bool step();
  /// The earliest that is known, in a damaged trace perhaps not the first; null: none is.
  [[nodiscard]] const Origin* of(trace::AllocationNumber allocation) const;

 private:
  void see(const trace::Event& event);

  LoadedTrace& trace_;
  /// By the earliest number of a chain that is known so far: the block that it is of.
  std::map<trace::AllocationNumber, trace::AllocationNumber> sought_;
  std::unordered_map<trace::AllocationNumber, Origin> origins_;
};

}  // namespace tidemark::analyzer
