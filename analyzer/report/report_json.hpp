/// The report as JSON, schema 1: stable keys, sizes in bytes, times in ns since the session's
/// start.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <string>

namespace tidemark::analyzer {

/// Pretty-printed, with a newline at the end. What is unknown is null. Bytes of paths and commands
/// that are no UTF-8 are replaced, so the output always parses.
std::string report_json(const Report& report);

}  // namespace tidemark::analyzer
