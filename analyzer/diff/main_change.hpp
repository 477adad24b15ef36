/// What changed a peak most, in one sentence.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <string>

namespace tidemark::analyzer {

/// "`twice` is gone: two copies of the weights, without which the peak before would have been 5.00
/// GiB." If no finding of one load alone foretells the other's peak, all stacks of the place
/// whose row of the table changed most that way: "Most of it: read_whole (loader.cpp:40) held 61.0
/// MiB at the peak and holds nothing there now."
///
/// Empty if the peaks read the same, if that place does not have half of the change, and if more
/// memory moved than that: then others hold what it held.
std::string main_change_of(const Diff& diff);

/// Only the first of these sentences, for which two reports are enough. Empty if no finding
/// foretells the other peak, and if the peaks read the same.
std::string explained_change_of(const Report& before, const Report& after);

}  // namespace tidemark::analyzer
