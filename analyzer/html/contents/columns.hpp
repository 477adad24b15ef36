/// The timeline of a page: columns narrow enough to zoom into.
#pragma once

#include "analyzer/picture/stacked_columns.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::html {

struct PageColumns {
  std::vector<std::uint64_t> borders;  ///< In ns; one more than there are columns.
  std::vector<picture::StackedColumn> columns;
  /// Each column is a single instant or value, so no zoom could show more.
  bool is_complete = false;
};

/// A load with few events gets a column for the instant of each, and one for each gap in between.
/// Others get columns of equal time, split further where events are dense. A column's extremes are
/// exact, so a block that lives for one event is seen at any zoom.
PageColumns page_columns(analyzer::LoadedTrace& trace);

}  // namespace tidemark::html
