/// Why the peak is as high as it is, for a page.
#pragma once

#include "analyzer/html/contents/page_what_if.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <cstdint>
#include <span>

namespace tidemark::html {

/// Sets `findings`, a list of {title, sentence, bytes, at_ns, without, advice, node}, where
/// `without` and `advice` are sentences or empty, `unexplained`, {sentence, groups} of sentences,
/// `chain`, {nodes, edges}, and `notes`, further sentences; each only where there is any.
/// `nodes`: of the forest, the stack of each finding.
void add_anatomy(const analyzer::Report& report,
                 std::span<const std::uint32_t> nodes,
                 analyzer::Json& json);

/// Sets `what_if`, {findings, borders, sets} as PageWhatIf has them, where there is any.
void add_what_if(const PageWhatIf& what_if, analyzer::Json& json);

}  // namespace tidemark::html
