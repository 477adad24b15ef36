#include "analyzer/html/documents/usage_document.hpp"

#include <cstddef>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::Json;

Json row_json(const PageUsage& page, const analyzer::UsageLines& lines, std::size_t i) {
  Json row{{"cells", lines.cells[i]}};
  if (!lines.names[i].empty()) {
    row["name"] = lines.names[i];
  }
  if (i == page.usage.rows.size()) {
    row["is_rest"] = true;
  } else if (lines.names[i].empty()) {
    row["node"] = page.nodes[i];
    if (page.usage.by_function) {
      row["stacks"] = page.usage.rows[i].stacks;
      row["has_one_line"] = page.usage.rows[i].has_one_line;
    }
  }
  return row;
}

Json list_json(const PageUsage& page) {
  const analyzer::UsageLines lines = analyzer::usage_lines(page.usage);
  Json rows = Json::array();
  for (std::size_t i = 0; i < lines.cells.size(); ++i) {
    rows.push_back(row_json(page, lines, i));
  }
  return {{"by", analyzer::grouping_word(page.usage.by)},
          {"of_functions", page.usage.by_function},
          {"title", lines.title},
          {"headings", lines.headings},
          {"rows", std::move(rows)}};
}

}  // namespace

void add_usage(const std::vector<PageUsage>& lists, Json& json) {
  for (const PageUsage& page : lists) {
    json["usage"].push_back(list_json(page));
  }
}

}  // namespace tidemark::html
