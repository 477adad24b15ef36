/// The parts of our JSON that several documents share. Keys keep the order in which they are set.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tidemark::analyzer {

using Json = nlohmann::ordered_json;

/// A list of objects with `function`, `file`, `line` and `module`; what is unknown is null.
Json stack_document(const std::vector<NamedFrame>& frames);

/// The report of schema 1.
Json report_document(const Report& report);

/// Indented by so many spaces, with a newline at the end. ASCII only: everything else is escaped,
/// and invalid UTF-8 is replaced, so that it always parses and contains no control characters.
std::string json_text(const Json& json, int indent = 2);

/// The same without line ends.
std::string json_line(const Json& json);

}  // namespace tidemark::analyzer
