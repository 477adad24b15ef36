/// The diff as JSON, schema 1: stable keys, sizes in bytes, times in ns since each session's start.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <string>

namespace tidemark::analyzer {

/// `before` and `after` are whole reports, with the keys of report_json. Pretty-printed, with a
/// newline at the end. What is unknown is null.
std::string diff_json(const Diff& diff);

}  // namespace tidemark::analyzer
