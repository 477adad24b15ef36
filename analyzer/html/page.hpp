/// Pages: a report or a diff as one HTML file that needs nothing else, and no network.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <string>

namespace tidemark::html {

/// `report` must be of `trace`; what it lists does not matter, the page lists its own. Reads the
/// trace a few times more. The page is bounded, some 300 KB, whatever the length of the trace.
std::string report_page(analyzer::LoadedTrace& trace, const analyzer::Report& report);

/// Both loads on one axis. `diff` must be of these traces; its stacks are listed as they are.
std::string diff_page(analyzer::LoadedTrace& before,
                      analyzer::LoadedTrace& after,
                      const analyzer::Diff& diff);

}  // namespace tidemark::html
