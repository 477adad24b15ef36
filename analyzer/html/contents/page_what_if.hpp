/// A load without what its findings are about, as stored in a page.
#pragma once

#include "analyzer/html/contents/columns.hpp"
#include "analyzer/report/facts/report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::html {

/// Every combination of some findings, computed in advance, as a page has no events to do so.
struct PageWhatIf {
  struct Set {
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_ns = 0;
    std::string sentence;
    std::string markdown;
    std::vector<std::uint64_t> highest;  ///< By stretch.
  };
  std::vector<std::size_t> findings;  ///< Indices into the report's; at most kMaxWhatIfFindings.
  /// Where stretches of the page's columns begin and end, in ns.
  std::vector<std::uint64_t> borders;
  /// Set i is without those findings whose bit is set in i + 1.
  std::vector<Set> sets;
};

constexpr std::size_t kMaxWhatIfFindings = 3;

/// For the first findings that lower the peak. Takes one pass over the trace for each set.
PageWhatIf page_what_if(analyzer::LoadedTrace& trace,
                        const analyzer::Report& report,
                        const PageColumns& columns);

}  // namespace tidemark::html
