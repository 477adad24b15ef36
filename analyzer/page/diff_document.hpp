/// What a page says of two loads beyond what it says of each.
#pragma once

#include "analyzer/diff.hpp"
#include "analyzer/json_document.hpp"
#include "analyzer/plot/subject.hpp"

#include <cstdint>
#include <span>

namespace tidemark::page {

/// Headline, rows, stacks that changed, phases, and the axes on which the loads can be aligned.
/// `nodes`: of the forest, each of the diff's stacks.
analyzer::Json diff_document(const analyzer::Diff& diff,
                             std::span<const plot::Subject> subjects,
                             std::span<const std::uint32_t> nodes);

}  // namespace tidemark::page
