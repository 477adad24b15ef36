#include "analyzer/picture/bands.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::picture {
namespace {

using analyzer::LayerPoint;

/// Where the footprint of each column is highest and lowest, two points a column.
std::vector<LayerPoint> extreme_points(analyzer::LoadedTrace& trace,
                                       std::span<const std::uint64_t> borders,
                                       const std::vector<StackedColumn>& columns) {
  std::vector<LayerPoint> points;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const trace::LaneTotals& totals : {columns[c].highest, columns[c].lowest}) {
      points.push_back(
          analyzer::layer_point(trace, borders[c], borders[c + 1], totals.footprint()));
    }
  }
  return points;
}

enum class LayerKind : std::uint8_t { kRest, kStays, kGoes };
const std::array<std::string, 3> kKindNames{"rest", "stays", "goes"};

/// Calls `visit(kind, number)` for each layer, with its place among the colours of its kind.
template <typename Visit>
void visit_colours(const std::vector<analyzer::FootprintLayer>& layers, const Visit& visit) {
  const Theme& theme = light_theme();
  const std::array sizes{theme.rests.size(), theme.stays.size(), theme.goes.size()};
  std::array<std::size_t, sizes.size()> counts{};
  for (const analyzer::FootprintLayer& layer : layers) {
    const auto kind = layer.is_rest ? LayerKind::kRest
                      : layer.stays ? LayerKind::kStays
                                    : LayerKind::kGoes;
    const auto i = static_cast<std::size_t>(kind);
    visit(kind, counts.at(i)++ % sizes.at(i));
  }
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

std::vector<std::string> layer_colour_names(const std::vector<analyzer::FootprintLayer>& layers) {
  std::vector<std::string> names;
  visit_colours(layers, [&names](LayerKind kind, std::size_t number) {
    names.push_back(kKindNames.at(static_cast<std::size_t>(kind)) + ('-' + std::to_string(number)));
  });
  return names;
}

std::vector<Colour> layer_colours(const std::vector<analyzer::FootprintLayer>& layers,
                                  const Theme& theme) {
  std::vector<Colour> colours;
  visit_colours(layers, [&](LayerKind kind, std::size_t number) {
    colours.push_back(kind == LayerKind::kRest    ? theme.rests.at(number)
                      : kind == LayerKind::kStays ? theme.stays.at(number)
                                                  : theme.goes.at(number));
  });
  return colours;
}

namespace {

/// @param points each column's highest and lowest in turns.
Bands bands_at(const analyzer::FootprintLayers& layers,
               std::size_t load,
               const std::vector<LayerPoint>& points,
               const analyzer::LoadWithout* without) {
  const auto bytes = layers.at(load, points, without);
  Bands bands;
  const auto count = static_cast<std::ptrdiff_t>(layers.layers().size());
  auto next = bytes.begin();
  for (std::size_t i = 0; i < points.size(); ++i, next += count) {
    auto& target = i % 2 == 0 ? bands.highest : bands.lowest;
    target.insert(target.end(), next, next + count);
    if (i % 2 == 0) {
      bands.highest_ns.push_back(points[i].at.at_ns);
    }
  }
  return bands;
}

}  // namespace

Bands layer_bands(const analyzer::FootprintLayers& layers,
                  std::size_t load,
                  analyzer::LoadedTrace& trace,
                  std::span<const std::uint64_t> borders,
                  const std::vector<StackedColumn>& columns) {
  return bands_at(layers, load, extreme_points(trace, borders, columns), nullptr);
}

Bands layer_bands(const analyzer::FootprintLayers& layers,
                  std::size_t load,
                  const analyzer::LoadWithout& without,
                  std::span<const std::uint64_t> borders,
                  const std::vector<analyzer::RemainingColumn>& columns) {
  std::vector<LayerPoint> points;
  points.reserve(2 * columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const analyzer::RemainingPoint& point : {columns[c].highest, columns[c].lowest}) {
      points.push_back({point.at, point.lanes.footprint()});
      points.back().at.at_ns = std::max(point.at.at_ns, borders[c]);
    }
  }
  return bands_at(layers, load, points, &without);
}

}  // namespace tidemark::picture
