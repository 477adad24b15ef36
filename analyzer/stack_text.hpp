/// One stack as lines of text.
#pragma once

#include "analyzer/stack_names.hpp"
#include "analyzer/text_style.hpp"

#include <string>
#include <vector>

namespace tidemark::analyzer {

/// `load_params  loader.cpp:40`: the function, shortened, and where it is; the module when the line
/// is unknown.
std::string frame_text(const TextStyle& style, const NamedFrame& frame, std::size_t width);

/// The function that asked for the memory, on one line.
std::string asking_text(const TextStyle& style,
                        const std::vector<NamedFrame>& stack,
                        std::size_t width);

/// The rest of the stack: what the request went through, and who called. Lines without newlines,
/// each at most `width` columns; the middle of a deep stack becomes `… 14 frames`.
std::vector<std::string> chain_text(const TextStyle& style,
                                    const std::vector<NamedFrame>& stack,
                                    std::size_t width);

}  // namespace tidemark::analyzer
