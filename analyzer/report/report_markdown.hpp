/// The report as GitHub markdown, to be pasted in a pull request or an issue.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <string>

namespace tidemark::analyzer {

std::string report_markdown(const Report& report);

}  // namespace tidemark::analyzer
