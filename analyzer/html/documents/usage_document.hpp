/// How memory was asked for over the whole run, as JSON for the page.
#pragma once

#include "analyzer/html/contents/page_usage.hpp"

#include <vector>

namespace tidemark::html {

/// Sets `usage`, a list of {by, of_functions, title, headings, rows}, where there is any. A row is
/// {cells}, the texts of the report, with `name` where it is no stack; else with `node`, its stack
/// in the forest; of a function also `stacks`, how many it asked in, and `has_one_line`. A row with
/// `is_rest` sums those that are left out.
void add_usage(const std::vector<PageUsage>& lists, analyzer::Json& json);

}  // namespace tidemark::html
