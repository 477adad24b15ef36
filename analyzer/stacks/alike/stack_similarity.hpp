/// Pairs stacks that are similar, but not of the same functions.
#pragma once

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Pairs the most alike first, larger ones first among equals; `of_before` and `of_after` are
/// indices into the stacks, which are nodes of `tree`, and so are the pairs. Bounded in time: see
/// match_stacks.
std::vector<std::pair<std::size_t, std::size_t>> find_similar(
    const ComparableTree& tree,
    std::span<const ComparableStack> before,
    std::span<const std::size_t> of_before,
    std::span<const ComparableStack> after,
    std::span<const std::size_t> of_after);

}  // namespace tidemark::analyzer
