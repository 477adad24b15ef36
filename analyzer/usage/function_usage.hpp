/// Memory requests by function: the stacks of a usage, summed by asking function.
#pragma once

#include "analyzer/stacks/asker_finder.hpp"
#include "analyzer/usage/usage.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::analyzer {

struct FunctionUsage {
  UsageCounts counts;        ///< Sum over all stacks in which it asks.
  UsageRow heaviest;         ///< The stack with most of what the usage is by.
  std::size_t stacks = 0;    ///< How many stacks these are.
  bool has_one_line = true;  ///< All of them ask in the same.
};

/// Ordered by what `stacks` are ranked by; all empty stacks count as one function. Functions of one
/// name in two files or modules are two. @param stacks of kTemporary, kLeaked or kAllocations.
/// @param askers of the same trace; may know its stacks from other lists.
std::vector<FunctionUsage> functions_of(AskerFinder& askers, const Usage& stacks);

}  // namespace tidemark::analyzer
