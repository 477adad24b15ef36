/// How memory was asked for over the whole run, stack by stack as `report --by` lists it, or
/// function by function.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/report/parts/usage_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

struct UsageQuestion {
  analyzer::UsageGrouping by = analyzer::UsageGrouping::kTemporary;
  bool by_function = false;  ///< No effect where rows are not stacks.

  bool operator==(const UsageQuestion&) const = default;
};

struct AllocationUsage {
  UsageQuestion question;
  /// In a row for a function, the frames are those of its heaviest stack.
  analyzer::ReportUsage usage;
  analyzer::UsageLines lines;
  std::vector<std::string> functions;  ///< If rows are functions: `load (a.cpp:40), 3 stacks`.
  /// For rows that are stacks: the asking function with its place, what distinguishes it from
  /// others at the same place, then its callers: `load (a.py:4) through Json::parse  <  main`.
  std::vector<std::string> stacks;
  std::uint64_t end_ns = 0;  ///< For kLeaked: just before exit ends all memory.
};

/// One pass over the trace. A function's row is the sum of all stacks in which it is the asking
/// function, also of those beyond the first `max_rows`.
AllocationUsage allocation_usage(analyzer::LoadedTrace& trace,
                                 const UsageQuestion& question,
                                 std::size_t max_rows);

}  // namespace tidemark::gui
