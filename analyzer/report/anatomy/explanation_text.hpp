/// Detailed explanations of the kinds of findings.
#pragma once

#include "analyzer/text/text_style.hpp"
#include "collector/trace/types/result.hpp"

#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// All names, each with one line.
std::string explanation_list(const TextStyle& style);

/// What a finding means, how it is recognised, what it does not blame, and what helps; at most 80
/// columns wide.
/// @return kUsage with the nearest name if the name is unknown.
Result<std::string> explanation_text(std::string_view name, const TextStyle& style);

}  // namespace tidemark::analyzer
