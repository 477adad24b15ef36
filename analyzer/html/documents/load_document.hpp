/// What a page says of one load, as JSON. The page's own contract, between this folder and its
/// assets: both change together, and nobody else reads it.
#pragma once

#include "analyzer/html/contents/page_instants.hpp"
#include "analyzer/html/contents/page_layers.hpp"
#include "analyzer/picture/subject.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::html {

/// Everything of one load but its stacks' names. `subject` must be of the report's trace;
/// `finding_nodes` are the stacks of its findings.
Json load_document(const picture::Subject& subject,
                   const analyzer::Report& report,
                   const PageColumns& columns,
                   const std::vector<PageInstant>& instants,
                   const std::vector<std::uint32_t>& finding_nodes);

/// Sets `tensors`, {title, rows, count}: the largest at the instant, each {name, kind, bytes,
/// mapped, file_bytes, file_begin, node}, and how many there are in all; `title` alone says why
/// none is known. Nothing where they were not asked for. `nodes`: of the forest, the stack of each.
void add_tensors(const analyzer::Report& report,
                 const analyzer::ReportTensors& tensors,
                 std::span<const std::uint32_t> nodes,
                 Json& json);

}  // namespace tidemark::html
