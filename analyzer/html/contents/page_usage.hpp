/// How memory was asked for over the whole run, as a page carries it.
#pragma once

#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/report/parts/usage_table.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

/// One list of those that the window's pane "Allocations" has.
struct PageUsage {
  analyzer::ReportUsage usage;
  std::vector<std::uint32_t> nodes;  ///< Of the forest, each row's stack; 0 where it has none.
};

/// All of them, with the largest of their rows; where rows are stacks a second one of functions
/// follows. None where nothing was asked for. @param forest gets the rows' stacks.
std::vector<PageUsage> page_usage(analyzer::LoadedTrace& trace,
                                  const analyzer::Report& report,
                                  StackForest& forest);

}  // namespace tidemark::html
