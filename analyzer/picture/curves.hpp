/// The curves of one trace, cut to a picture's columns.
#pragma once

#include "analyzer/picture/stacked_columns.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/picture/warp.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::picture {

struct ResidentPoint {
  double column = 0;  ///< Within [0, count]; not whole.
  std::uint64_t bytes = 0;
};

struct Curves {
  std::vector<std::uint64_t> borders;   ///< Of the columns, in ns; one more than there are columns.
  std::vector<StackedColumn> columns;   ///< Fewer than the picture has, where the trace ends first.
  std::vector<ResidentPoint> resident;  ///< Of a column's samples the highest, then the last.
  std::vector<double> progress;         ///< Share of the model read at the end of each column.
  std::size_t peak_column = 0;
};

/// `count`: the columns of the whole axis.
Curves curves_of(const Subject& subject, const Warp& warp, std::size_t count);

}  // namespace tidemark::picture
