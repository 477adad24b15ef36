/// How memory was asked for over the whole run: temporary allocations, leaks, numbers of
/// allocations, sizes, threads.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>
#include <vector>

namespace tidemark::analyzer {

/// The cells that text, markdown and the window show.
struct UsageLines {
  std::string title;
  std::vector<std::string> headings;            ///< For the cells, then for the names.
  std::vector<std::vector<std::string>> cells;  ///< For each row, and for the rest if there is one.
  std::vector<std::string> names;    ///< A size, a thread, how many more; empty for a stack.
  std::size_t ranked = 0;            ///< Index of the cell with the number of `rank_of`.
  std::vector<std::string> natives;  ///< For rows that are stacks: see told_natives.
};
UsageLines usage_lines(const ReportUsage& usage);

/// For the text; empty if it was not asked for.
std::string usage_table(const Report& report, const TextStyle& style);
/// The same as markdown.
std::string usage_markdown(const Report& report);
/// The same as JSON.
Json usage_json(const Report& report);

}  // namespace tidemark::analyzer
