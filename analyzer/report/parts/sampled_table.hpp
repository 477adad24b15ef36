/// Small blocks by function, of recordings in which only some of them have a stack.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

/// For the text; empty if every block has its stack.
std::string sampled_table(const Report& report, const TextStyle& style);
/// The same as markdown.
std::string sampled_markdown(const Report& report);
/// The same as JSON.
Json sampled_json(const Report& report);

}  // namespace tidemark::analyzer
