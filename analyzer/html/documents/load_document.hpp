/// What a page says of one load, as JSON. A private contract between this folder and its assets:
/// both change together, and nothing else reads it.
#pragma once

#include "analyzer/html/contents/page_instants.hpp"
#include "analyzer/html/contents/page_layers.hpp"
#include "analyzer/picture/subject.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::html {

/// Everything about one load except the names in its stacks. `subject` must be of the report's
/// trace; `finding_nodes` are the stacks of its findings.
Json load_document(const picture::Subject& subject,
                   const analyzer::Report& report,
                   const PageColumns& columns,
                   const std::vector<PageInstant>& instants,
                   const std::vector<std::uint32_t>& finding_nodes);

/// Sets `tensors`, {title, rows, count}: the largest at the instant, each {name, kind, bytes,
/// mapped, file_bytes, file_begin, node}, and how many there are in all; or only `title`, saying
/// why none is known. Sets nothing if they were not asked for. `nodes`: the stack of each, in the
/// forest.
void add_tensors(const analyzer::Report& report,
                 const analyzer::ReportTensors& tensors,
                 std::span<const std::uint32_t> nodes,
                 Json& json);

}  // namespace tidemark::html
