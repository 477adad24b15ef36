/// The columns of one trace over a range of the axis. Other columns are made from them without
/// asking the trace again, so that a moving picture never waits.
#pragma once

#include "analyzer/picture/stacked_columns.hpp"
#include "analyzer/picture/warp.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::gui {

/// `range` cut into `count` columns of equal width. If the trace ends before the range does, there
/// are fewer columns.
struct ColumnSet {
  ViewRange range;
  std::size_t count = 0;
  std::vector<picture::StackedColumn> columns;
  std::uint32_t axis = 0;  ///< Distinguishes successive axes.

  [[nodiscard]] double column_width() const { return range.width() / static_cast<double>(count); }
};

/// Times of the column borders of a range, one more than the trace has columns there; empty if the
/// trace ends before the range.
std::vector<std::uint64_t> borders_of(const picture::Warp& warp,
                                      const ViewRange& range,
                                      std::size_t count);

/// `range` extended on both sides by half its width, as far as the axis goes, in whole columns of
/// the same width. Asked for instead of `range`, so that panning finds exact columns.
ColumnSet with_margins(const ViewRange& range, std::size_t count);

/// True if `set` has every column of `range`, as far as the trace goes, with the same borders.
bool has_exactly(const ColumnSet& set, const ViewRange& range, std::size_t count);

/// The columns of another range, each made from the columns of `set` that it touches: no maximum is
/// too low and no minimum too high, so no spike is hidden. Exact if has_exactly. Columns that `set`
/// does not cover stay empty (nothing held); see `covers`.
std::vector<picture::StackedColumn> resampled(const ColumnSet& set,
                                              const ViewRange& range,
                                              std::size_t count);

bool covers(const ColumnSet& set, const ViewRange& range);

/// Columns from extents that were found without decoding: each lane has its own extreme, perhaps of
/// another instant, reduced so that they add up to no more than the footprint.
std::vector<picture::StackedColumn> columns_of(const std::vector<analyzer::Extents>& extents);

}  // namespace tidemark::gui
