/// Pages of traces, and what holds for each.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/report/facts/report.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace tidemark::tests {

std::string page_of(analyzer::LoadedTrace& trace, const analyzer::ReportOptions& options = {});
/// What it carries.
nlohmann::json data_of(analyzer::LoadedTrace& trace, const analyzer::ReportOptions& options = {});

/// No byte may get lost on the way from the totals to the folded stacks.
/// @param load one of the page's.
void check_instants(const nlohmann::json& load);

}  // namespace tidemark::tests
