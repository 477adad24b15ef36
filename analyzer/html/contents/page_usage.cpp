#include "analyzer/html/contents/page_usage.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::ReportUsage;
using analyzer::UsageGrouping;

/// Limits each list: a page stays small.
constexpr std::size_t kMaxUsageRows = 20;

PageUsage planted(ReportUsage usage, StackForest& forest) {
  PageUsage page{.usage = std::move(usage), .nodes = {}};
  for (const analyzer::ReportUsageRow& row : page.usage.rows) {
    page.nodes.push_back(forest.add_stack(row.frames));
  }
  return page;
}

}  // namespace

std::vector<PageUsage> page_usage(analyzer::LoadedTrace& trace,
                                  const analyzer::Report& report,
                                  TraceStacks& stacks,
                                  StackForest& forest) {
  // In the window's order.
  constexpr std::array kGroupings{UsageGrouping::kTemporary, UsageGrouping::kLeaked,
                                  UsageGrouping::kAllocations, UsageGrouping::kSize,
                                  UsageGrouping::kThread};
  const auto& definitions = trace.definitions();
  std::vector<PageUsage> lists;
  bool has_rows = false;
  for (const auto& usage :
       analyzer::usages_of(trace, report.peak.at, kGroupings, {}, stacks.readings)) {
    has_rows = has_rows || !usage.rows.empty();
    lists.push_back(planted(analyzer::report_usage(definitions, usage, kMaxUsageRows), forest));
    if (analyzer::has_stacks(usage.by)) {
      lists.push_back(planted(
          analyzer::report_functions(definitions, stacks.askers, usage, kMaxUsageRows), forest));
    }
  }
  return has_rows ? std::move(lists) : std::vector<PageUsage>();
}

}  // namespace tidemark::html
