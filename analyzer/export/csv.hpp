/// Comma-separated values for spreadsheets and scripts: quoted as RFC 4180 says, a header row
/// first.
#pragma once

#include "analyzer/export/curves/time_span.hpp"
#include "analyzer/export/stacks/stack_values.hpp"

#include <string>

namespace tidemark::exports {

/// A row for each lane and stack, including file mappings: bytes and blocks (over a range also
/// those allocated and freed), the asking function and its place, and the stack, outermost first,
/// joined by `;`.
std::string stacks_csv(const trace::Definitions& definitions, const StackTable& table);

/// A thousand rows of equal time: the exact lowest and highest value of each lane and of the
/// footprint in it, and the highest sampled resident memory, empty if there was no sample.
std::string timeline_csv(analyzer::LoadedTrace& trace, const TimeSpan& span);

}  // namespace tidemark::exports
