/// The anatomy in a markdown report.
#pragma once

#include "analyzer/report/anatomy/why_list.hpp"
#include "analyzer/report/facts/report.hpp"

#include <span>
#include <string>

namespace tidemark::analyzer {

/// A list; empty where there is nothing.
std::string md_why(std::span<const WhySentence> sentences);

/// Why the peak is as high, what was refused too.
std::string md_why(const Report& report);

/// The same, and the chain as a picture.
std::string md_anatomy(const Report& report);

}  // namespace tidemark::analyzer
