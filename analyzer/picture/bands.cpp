#include "analyzer/picture/bands.hpp"

#include "analyzer/query/footprint_search.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::picture {
namespace {

using analyzer::Instant;
using analyzer::LayerPoint;

std::pair<std::size_t, std::uint32_t> place_of(const LayerPoint& point) {
  return {point.at.block, point.at.events};
}

/// Where the highest and the lowest footprint of each column stood, two a column.
std::vector<LayerPoint> extreme_points(analyzer::LoadedTrace& trace,
                                       std::span<const std::uint64_t> borders,
                                       const std::vector<StackedColumn>& columns) {
  std::vector<LayerPoint> points;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const trace::LaneTotals& totals : {columns[c].highest, columns[c].lowest}) {
      const std::uint64_t bytes = totals.footprint();
      const auto at = analyzer::find_footprint(trace, borders[c], borders[c + 1], bytes);
      // A damaged block hides where it was.
      points.push_back({at ? *at : trace.instant_at(borders[c]), bytes});
    }
  }
  return points;
}

}  // namespace

Bands lane_bands(const std::vector<StackedColumn>& columns, const Theme& theme) {
  Bands bands;
  for (const trace::Lane lane : trace::kFootprintLanes) {
    bands.colours.push_back(theme.lane(lane));
  }
  for (const StackedColumn& column : columns) {
    for (const trace::Lane lane : trace::kFootprintLanes) {
      bands.highest.push_back(column.highest[lane]);
      bands.lowest.push_back(column.lowest[lane]);
    }
  }
  return bands;
}

std::vector<Colour> layer_colours(const std::vector<analyzer::FootprintLayer>& layers,
                                  const Theme& theme) {
  std::vector<Colour> colours;
  std::size_t rests = 0;
  std::size_t stays = 0;
  std::size_t goes = 0;
  for (const analyzer::FootprintLayer& layer : layers) {
    colours.push_back(layer.is_rest ? theme.rests.at(rests++ % theme.rests.size())
                      : layer.stays ? theme.stays.at(stays++ % theme.stays.size())
                                    : theme.goes.at(goes++ % theme.goes.size()));
  }
  return colours;
}

Bands layer_bands(const analyzer::FootprintLayers& layers,
                  std::size_t load,
                  analyzer::LoadedTrace& trace,
                  std::span<const std::uint64_t> borders,
                  const std::vector<StackedColumn>& columns,
                  const Theme& theme) {
  const auto points = extreme_points(trace, borders, columns);
  // Neighbouring columns often share an instant, and a column's two come in any order.
  std::vector<LayerPoint> sorted = points;
  std::ranges::sort(sorted, {}, place_of);
  const auto same = [](const auto& a, const auto& b) { return place_of(a) == place_of(b); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  const auto bytes = layers.at(load, sorted);

  Bands bands{.colours = layer_colours(layers.layers(), theme), .highest = {}, .lowest = {}};
  const std::size_t count = bands.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto found = std::ranges::lower_bound(sorted, place_of(points[i]), {}, place_of);
    const auto first =
        bytes.begin() + (found - sorted.begin()) * static_cast<std::ptrdiff_t>(count);
    auto& target = i % 2 == 0 ? bands.highest : bands.lowest;
    target.insert(target.end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
  return bands;
}

}  // namespace tidemark::picture
