/// The kinds of findings, explained at length: for people who have got one and ask what it is.
#pragma once

#include "analyzer/text/text_style.hpp"
#include "collector/trace/types/result.hpp"

#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// All names, each with one line.
std::string explanation_list(const TextStyle& style);

/// What a finding means, how it is told, what is not blamed, what helps; at most 80 columns wide.
/// @return kUsage with the nearest name where there is none of that name.
Result<std::string> explanation_text(std::string_view name, const TextStyle& style);

}  // namespace tidemark::analyzer
