/// The stacks of an excess as lines, for every output that people read.
#pragma once

#include "analyzer/gate/gate_stacks.hpp"
#include "analyzer/text/text_style.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// A heading, at most `top` stacks with what they hold or grew by, and the sum of the others. Lines
/// without newlines and without colours; none if there are no stacks.
std::vector<std::string> gate_stack_lines(const ExcessStacks& excess,
                                          const TextStyle& style,
                                          std::size_t top);

}  // namespace tidemark::analyzer
