/// The columns of one trace over a range of the axis, and others made from them without asking the
/// trace again: a picture that moves never waits.
#pragma once

#include "analyzer/picture/stacked_columns.hpp"
#include "analyzer/picture/warp.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::gui {

/// `range` cut into `count` columns of equal width. The trace may end before the range does: then
/// there are fewer columns.
struct ColumnSet {
  ViewRange range;
  std::size_t count = 0;
  std::vector<picture::StackedColumn> columns;
  std::uint32_t axis = 0;  ///< Tells axes apart that came one after the other.

  [[nodiscard]] double column_width() const { return range.width() / static_cast<double>(count); }
};

/// Time borders of the columns of a range, one more than the trace has columns there; empty where
/// the trace ended before.
std::vector<std::uint64_t> borders_of(const picture::Warp& warp,
                                      const ViewRange& range,
                                      std::size_t count);

/// `range` with half its width added on both sides, as far as the axis goes, in whole columns of
/// the same width: what is asked for, so that panning finds it.
ColumnSet with_margins(const ViewRange& range, std::size_t count);

/// True when each column of `range` is one of `set`, and all that the trace has are there.
bool has_exactly(const ColumnSet& set, const ViewRange& range, std::size_t count);

/// The columns of another range, from those of `set` they touch: never a maximum too low or a
/// minimum too high, so no spike is hidden. Exact where has_exactly. What `set` does not cover
/// stays empty (nothing held); see `covers`.
std::vector<picture::StackedColumn> resampled(const ColumnSet& set,
                                              const ViewRange& range,
                                              std::size_t count);

bool covers(const ColumnSet& set, const ViewRange& range);

/// Extents as columns, for those that were found without decoding: the lanes are each one's own
/// extreme, cut down to the footprint's.
std::vector<picture::StackedColumn> columns_of(const std::vector<analyzer::Extents>& extents);

}  // namespace tidemark::gui
