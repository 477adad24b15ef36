#include "analyzer/picture/stacked_columns.hpp"

#include "analyzer/query/footprint/footprint_search.hpp"

#include <algorithm>
#include <optional>

namespace tidemark::picture {
namespace {

using trace::Lane;
using trace::LaneTotals;

struct Span {
  std::uint64_t from_ns;
  std::uint64_t to_ns;
};

/// Reduces the lanes, the largest first, by what exceeds `footprint`.
LaneTotals cut_down(LaneTotals lanes, std::uint64_t footprint) {
  while (lanes.footprint() > footprint) {
    std::uint64_t& largest = lanes[*std::ranges::max_element(
        trace::kFootprintLanes, {}, [&lanes](Lane lane) { return lanes[lane]; })];
    largest -= std::min(largest, lanes.footprint() - footprint);
  }
  return lanes;
}

class ColumnStacker {
 public:
  explicit ColumnStacker(analyzer::LoadedTrace& trace) : trace_(trace) {}

  StackedColumn stack(const analyzer::Extents& extents, Span span) {
    LaneTotals highest;
    LaneTotals lowest;
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      highest.bytes[lane] = extents.lanes[lane].maximum;
      lowest.bytes[lane] = extents.lanes[lane].minimum;
    }
    return {.highest = lanes_at(extents.footprint.maximum, highest, highest, span),
            .lowest = lanes_at(extents.footprint.minimum, lowest, highest, span),
            .file = extents.lanes[static_cast<std::size_t>(Lane::kFile)]};
  }

 private:
  /// If only one lane moved, or all moved together, the extremes are those of one instant: no
  /// search is needed.
  LaneTotals lanes_at(std::uint64_t footprint,
                      const LaneTotals& extremes,
                      const LaneTotals& at_most,
                      Span span) {
    if (extremes.footprint() == footprint) {
      return extremes;
    }
    const auto at = analyzer::find_footprint(trace_, span.from_ns, span.to_ns, footprint);
    const auto found = at ? trace_.totals_at(*at) : std::nullopt;
    return found ? *found : cut_down(at_most, footprint);
  }

  analyzer::LoadedTrace& trace_;
};

}  // namespace

std::vector<StackedColumn> stacked_columns(analyzer::LoadedTrace& trace,
                                           std::span<const std::uint64_t> borders) {
  analyzer::Timeline timeline(trace);
  const auto extents = timeline.columns(borders);
  ColumnStacker stacker(trace);
  std::vector<StackedColumn> columns;
  columns.reserve(extents.size());
  for (std::size_t c = 0; c < extents.size(); ++c) {
    columns.push_back(stacker.stack(extents[c], {borders[c], borders[c + 1]}));
  }
  return columns;
}

}  // namespace tidemark::picture
