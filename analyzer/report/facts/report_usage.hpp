/// Memory requests over the whole run, as named rows.
#pragma once

#include "analyzer/stacks/asker_finder.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/usage/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct ReportUsageRow {
  UsageRow usage;
  std::vector<NamedFrame> frames;  ///< The row's stack; for a function, its heaviest one.
  std::size_t stacks = 1;          ///< For a function: the number of stacks that it allocates in.
  bool has_one_line = true;        ///< All of these allocate in the same line.
  std::uint32_t pid = 0;           ///< This and the next two: for a row that is a thread.
  std::uint32_t tid = 0;
  std::string thread;  ///< Its name; may be empty.
};

/// How memory was asked for over the whole run.
struct ReportUsage {
  UsageGrouping by = UsageGrouping::kNone;  ///< kNone: it was not asked for.
  bool by_function = false;                 ///< Rows are functions rather than stacks.
  UsageCounts all;
  std::vector<ReportUsageRow> rows;  ///< At most `top`; of sizes all.
  UsageCounts rest;                  ///< The rows beyond these, summed.
  std::size_t row_count = 0;         ///< How many there are in all.
  std::vector<SuppressedLeaks> suppressed;
};

/// False for sizes and threads.
bool has_stacks(UsageGrouping by);

/// One pass over the trace. @param peak whose blocks are held: see usage_of.
/// @param top rows but of sizes; 0: all.
ReportUsage report_usage(LoadedTrace& trace,
                         const Instant& peak,
                         UsageGrouping by,
                         std::size_t top,
                         const std::vector<Suppression>& suppressions = {});
/// The same of what was counted.
ReportUsage report_usage(const trace::Definitions& definitions,
                         const Usage& usage,
                         std::size_t top);

/// The same of stacks function by function: a row has the sum of all stacks that one asked in,
/// those beyond the first `top` too. @param askers see functions_of.
ReportUsage report_functions(const trace::Definitions& definitions,
                             AskerFinder& askers,
                             const Usage& stacks,
                             std::size_t top);

}  // namespace tidemark::analyzer
