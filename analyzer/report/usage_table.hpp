/// How memory was asked for over the whole run: temporary allocations, leaks, numbers of
/// allocations, sizes, threads.
#pragma once

#include "analyzer/report/json_document.hpp"
#include "analyzer/report/report.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

/// For the text; empty where it was not asked for.
std::string usage_table(const Report& report, const TextStyle& style);
/// The same as markdown.
std::string usage_markdown(const Report& report);
/// The same as JSON.
Json usage_json(const Report& report);

}  // namespace tidemark::analyzer
