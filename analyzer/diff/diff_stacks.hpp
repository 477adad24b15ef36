/// The stacks of a diff: from two live sets to what changed between them.
#pragma once

#include "analyzer/diff/diff.hpp"

namespace tidemark::analyzer {

/// Fills in `stacks`, `more` and `unchanged` from the live sets of both reports. Names are looked
/// up only for the `top` stacks that are listed; 0: for all.
void list_changed_stacks(Diff& diff,
                         const trace::Definitions& before,
                         const trace::Definitions& after,
                         std::size_t top);

}  // namespace tidemark::analyzer
