/// The diff for people.
#pragma once

#include "analyzer/diff/diff.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

/// The change and what it is, a sentence each, then both loads, lanes, phases, the stacks that
/// changed, and what either trace lost. Lines are at most `style.width` columns wide.
std::string diff_text(const Diff& diff, const TextStyle& style);

}  // namespace tidemark::analyzer
