/// What changed a peak most, in one sentence.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <string>

namespace tidemark::analyzer {

/// "`twice` is gone: two copies of the weights, without which the peak before would have been 5.00
/// GiB." Where no finding of one load alone foretells the other's peak, the row of the table that
/// changed most that way: "Most of it: read_whole (loader.cpp:40) held 61.0 MiB at the peak and
/// holds nothing there now."
///
/// Empty where the peaks read the same, where no row has half of the change, and where more came
/// and went than that: then others hold what it held.
std::string main_change_of(const Diff& diff);

/// The first of these sentences alone, for which two reports are enough. Empty where no finding
/// foretells the other peak, and where the peaks read the same.
std::string explained_change_of(const Report& before, const Report& after);

}  // namespace tidemark::analyzer
