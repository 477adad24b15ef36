/// Collapsed stacks: one line a stack, as flamegraph.pl, inferno and speedscope read them.
#pragma once

#include "analyzer/export/stacks/stack_values.hpp"

#include <string>

namespace tidemark::exports {

/// `lane;main;load;malloc 4096`: the lane as the root, then the functions, outermost first, and
/// the bytes alive. The footprint's lanes only, so that the lines add up to the footprint. A `;` in
/// a name becomes `:`, a line break a space; other spaces stay, since the bytes follow the last
/// one.
/// @param smallest_share of its lane; smaller stacks are folded, see StackTree::fold.
std::string collapsed_text(const trace::Definitions& definitions,
                           const StackTable& table,
                           double smallest_share = 0);

}  // namespace tidemark::exports
