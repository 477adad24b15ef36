/// Which stacks of two traces are the same.
#pragma once

#include "analyzer/stacks/alike/stack_match.hpp"
#include "gui/view/trees/named_stacks.hpp"

#include <vector>

namespace tidemark::gui {

/// Pairs of indices into the stacks of both; see analyzer::match_stacks.
std::vector<analyzer::StackPair> pairs_of(const NamedStacks& before, const NamedStacks& after);

}  // namespace tidemark::gui
