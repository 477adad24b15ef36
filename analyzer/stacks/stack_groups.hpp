/// The live set as people count it: stacks that read the same are one.
#pragma once

#include "analyzer/query/live_set.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Two recorded stacks read the same when all their functions, files and lines do: one line may
/// call from several addresses.
struct StackGroup {
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  trace::StackId stack = trace::kNoStack;  ///< One of them.
};

/// The stacks of the footprint lanes that hold anything, most bytes first. Each frame is named
/// once.
std::vector<StackGroup> group_stacks(const LiveSet& live, const trace::Definitions& definitions);

}  // namespace tidemark::analyzer
