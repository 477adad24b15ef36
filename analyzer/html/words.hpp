/// What a page says without its script: its main numbers and findings, as HTML.
#pragma once

#include "analyzer/diff/diff.hpp"
#include "analyzer/report/facts/report.hpp"

#include <string>

namespace tidemark::html {

/// With a sentence on top for browsers without JavaScript, and one that the script shows where it
/// cannot draw the page.
std::string words_of(const analyzer::Report& report);
std::string words_of(const analyzer::Diff& diff);

}  // namespace tidemark::html
