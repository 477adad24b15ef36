/// The anatomy in a markdown report.
#pragma once

#include "analyzer/report/report.hpp"

#include <string>

namespace tidemark::analyzer {

/// The findings and the floor as a list; empty where there is nothing.
std::string md_why(const Report& report);

/// The same, and the chain as a picture.
std::string md_anatomy(const Report& report);

}  // namespace tidemark::analyzer
