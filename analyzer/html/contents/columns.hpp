/// The timeline of a page: columns narrow enough to zoom into.
#pragma once

#include "analyzer/picture/stacked_columns.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

struct PageColumns {
  std::vector<std::uint64_t> borders;  ///< In ns; one more than there are columns.
  std::vector<picture::StackedColumn> columns;
  /// Each column shows one value, or one instant: no zoom could show more.
  bool is_complete = false;
};

/// A load with few events gets a column for each of their instants, and one for each stretch
/// between two. Any other gets columns even in time, split further where its events are dense. A
/// column's extremes are exact, so what lives for one event can be seen at any zoom.
PageColumns page_columns(analyzer::LoadedTrace& trace);

}  // namespace tidemark::html
