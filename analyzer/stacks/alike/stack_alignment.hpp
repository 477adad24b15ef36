/// Pairs stacks that call the same functions from different lines.
#pragma once

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Pairs stacks of both lists in the order of their lines, callers first: the third call in a
/// function stays the third when lines are inserted above it. If one list is longer, chooses the
/// pairs that change the fewest bytes. Groups of thousands are paired by size instead.
///
/// `of_before` and `of_after` are indices into the stacks, which are nodes of `tree`; so are the
/// pairs. Both get sorted.
std::vector<std::pair<std::size_t, std::size_t>> align_by_lines(
    const ComparableTree& tree,
    std::span<const ComparableStack> before,
    std::vector<std::size_t>& of_before,
    std::span<const ComparableStack> after,
    std::vector<std::size_t>& of_after);

}  // namespace tidemark::analyzer
