/// What each pixel column of the layered lanes shows.
#pragma once

#include "analyzer/query/footprint/timeline.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::picture {

/// Lanes that add up: those of one instant, not each lane's own extreme.
struct StackedColumn {
  trace::LaneTotals highest;  ///< The highest footprint within the column.
  trace::LaneTotals lowest;   ///< The lowest one.
  analyzer::Extent file;      ///< File mappings, which are not part of the footprint.
};

/// One for each two neighbouring borders (see Timeline::columns). Exact: a column's highest
/// footprint is the highest value within it. If a damaged block hides its lanes, the lanes' own
/// extremes are reduced to add up to it.
std::vector<StackedColumn> stacked_columns(analyzer::LoadedTrace& trace,
                                           std::span<const std::uint64_t> borders);

}  // namespace tidemark::picture
