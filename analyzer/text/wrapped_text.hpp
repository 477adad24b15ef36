/// Sentences in lines.
#pragma once

#include "analyzer/text/text_style.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// Breaks at spaces, but not between a number and its unit; a word that is wider than the line is
/// cut.
std::vector<std::string> wrapped(const TextStyle& style, std::string_view text, std::size_t width);

}  // namespace tidemark::analyzer
