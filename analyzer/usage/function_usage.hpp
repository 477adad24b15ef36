/// How functions asked for memory: the stacks of a usage, added up by the function that asked.
#pragma once

#include "analyzer/usage/usage.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::analyzer {

struct FunctionUsage {
  UsageCounts counts;        ///< Of all stacks that it asked in.
  UsageRow heaviest;         ///< Of these, the one with most of what the usage is by.
  std::size_t stacks = 0;    ///< How many these are.
  bool has_one_line = true;  ///< All of them ask in the same.
};

/// Those with most of what `stacks` are by first; all stacks that are none are one. Functions of
/// one name in two files or modules are two. @param stacks of kTemporary, kLeaked or kAllocations.
std::vector<FunctionUsage> functions_of(const trace::Definitions& definitions, const Usage& stacks);

}  // namespace tidemark::analyzer
