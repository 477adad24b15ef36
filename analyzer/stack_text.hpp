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

/// For each stack the frame that tells it from the others whose asking frame reads the same, as
/// `from load_shard  loader.cpp:40`; nothing for one that is told already, or that reads the same
/// throughout. The stacks stay borrowed.
std::vector<std::string> telling_texts(const std::vector<const std::vector<NamedFrame>*>& stacks);

/// `asking_text`, and `telling` behind it where that is not empty.
std::string row_text(const TextStyle& style,
                     const std::vector<NamedFrame>& stack,
                     const std::string& telling,
                     std::size_t width);

/// The rest of the stack: what the request went through, and who called. Lines without newlines,
/// each at most `width` columns; the middle of a deep stack becomes `… 14 frames`.
std::vector<std::string> chain_text(const TextStyle& style,
                                    const std::vector<NamedFrame>& stack,
                                    std::size_t width);

}  // namespace tidemark::analyzer
