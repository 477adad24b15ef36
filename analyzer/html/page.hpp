/// Pages: a report or a diff as one HTML file that needs nothing else, and no network.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <string>

namespace tidemark::html {

/// `report` must be of `trace`; its lists are not used, as the page makes its own. Reads the trace
/// a few more times. The page has a bounded size of some 300 KB, however long the trace.
std::string report_page(analyzer::LoadedTrace& trace, const analyzer::Report& report);

/// Both loads on one axis. `diff` must be of these traces; the page lists its stacks as they are.
std::string diff_page(analyzer::LoadedTrace& before,
                      analyzer::LoadedTrace& after,
                      const analyzer::Diff& diff);

}  // namespace tidemark::html
