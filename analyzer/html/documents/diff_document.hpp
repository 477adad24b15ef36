/// What a page says of two loads together, beyond what it says of each.
#pragma once

#include "analyzer/diff/diff.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <cstdint>
#include <span>

namespace tidemark::html {

/// Headline, rows, stacks that changed, phases, and the axes on which the loads can be aligned.
/// `nodes`: of the forest, each of the diff's stacks.
analyzer::Json diff_document(const analyzer::Diff& diff,
                             std::span<const picture::Subject> subjects,
                             std::span<const std::uint32_t> nodes);

}  // namespace tidemark::html
