/// How memory was asked for over the whole run, as stored in a page.
#pragma once

#include "analyzer/html/contents/trace_stacks.hpp"
#include "analyzer/report/parts/usage_table.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

/// One list of those that the window's pane "Allocations" has.
struct PageUsage {
  analyzer::ReportUsage usage;
  std::vector<std::uint32_t> nodes;  ///< In the forest, for each row's stack; 0 if it has none.
};

/// All lists, each with its largest rows; a list of stacks is followed by one of functions. Empty
/// if nothing was asked for. `stacks` must be of `trace`. @param forest the rows' stacks are added
/// to it.
std::vector<PageUsage> page_usage(analyzer::LoadedTrace& trace,
                                  const analyzer::Report& report,
                                  TraceStacks& stacks,
                                  StackForest& forest);

}  // namespace tidemark::html
