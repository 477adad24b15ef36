#include "analyzer/report/facts/report_usage.hpp"

#include "analyzer/usage/function_usage.hpp"

namespace tidemark::analyzer {
namespace {

void name_thread(ReportUsageRow& row, const trace::Definitions& definitions) {
  const auto number = trace::index(row.usage.thread);
  if (number >= definitions.threads.size()) {
    return;
  }
  const trace::Thread& thread = definitions.threads[number];
  row.tid = thread.tid;
  row.thread = thread.name;
  if (trace::index(thread.process) < definitions.processes.size()) {
    row.pid = definitions.processes[trace::index(thread.process)].pid;
  }
}

/// All of what was counted, and no rows yet.
ReportUsage without_rows(const Usage& usage, std::size_t row_count) {
  ReportUsage list;
  list.by = usage.by;
  list.all = usage.all;
  list.suppressed = usage.suppressed;
  list.row_count = row_count;
  return list;
}

}  // namespace

bool has_stacks(UsageGrouping by) {
  return by != UsageGrouping::kSize && by != UsageGrouping::kThread;
}

ReportUsage report_usage(LoadedTrace& trace,
                         const Instant& peak,
                         UsageGrouping by,
                         std::size_t top,
                         const std::vector<Suppression>& suppressions) {
  return report_usage(trace.definitions(), usage_of(trace, peak, by, suppressions), top);
}

ReportUsage report_usage(const trace::Definitions& definitions,
                         const Usage& usage,
                         std::size_t top) {
  ReportUsage list = without_rows(usage, usage.rows.size());
  const bool is_cut = top != 0 && usage.by != UsageGrouping::kSize;
  for (const UsageRow& row : usage.rows) {
    if (is_cut && list.rows.size() == top) {
      list.rest += row.counts;
      continue;
    }
    ReportUsageRow& shown = list.rows.emplace_back();
    shown.usage = row;
    if (usage.by == UsageGrouping::kThread) {
      name_thread(shown, definitions);
    } else {
      shown.frames = named_stack(definitions, row.stack);
    }
  }
  return list;
}

ReportUsage report_functions(const trace::Definitions& definitions,
                             AskerFinder& askers,
                             const Usage& stacks,
                             std::size_t top) {
  const auto functions = functions_of(askers, stacks);
  ReportUsage list = without_rows(stacks, functions.size());
  list.by_function = true;
  for (const FunctionUsage& function : functions) {
    if (top != 0 && list.rows.size() == top) {
      list.rest += function.counts;
      continue;
    }
    ReportUsageRow& row = list.rows.emplace_back();
    row.usage = function.heaviest;
    row.usage.counts = function.counts;
    // These belong to the stack that is shown.
    row.usage.counts.largest_bytes = function.heaviest.counts.largest_bytes;
    row.usage.counts.largest_at_ns = function.heaviest.counts.largest_at_ns;
    row.frames = named_stack(definitions, function.heaviest.stack);
    row.stacks = function.stacks;
    row.has_one_line = function.has_one_line;
  }
  return list;
}

}  // namespace tidemark::analyzer
