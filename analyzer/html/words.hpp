/// What a page shows without its script: its main numbers and findings, as HTML.
#pragma once

#include "analyzer/diff/diff.hpp"
#include "analyzer/report/facts/report.hpp"

#include <string>

namespace tidemark::html {

/// On top is a sentence for browsers without JavaScript, and one that the script shows if it cannot
/// draw the page.
std::string words_of(const analyzer::Report& report);
std::string words_of(const analyzer::Diff& diff);

}  // namespace tidemark::html
