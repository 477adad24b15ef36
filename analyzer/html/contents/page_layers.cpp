#include "analyzer/html/contents/page_layers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::FootprintLayers;
using analyzer::LayerGrouping;
using analyzer::LayerPoint;

std::uint64_t highest_of(const picture::StackedColumn& column) {
  return column.highest.footprint();
}

/// The points of the columns, followed by those of the instants.
std::vector<LayerPoint> points_of(const LayeredPage& page) {
  std::vector<LayerPoint> points(page.columns.begin(), page.columns.end());
  for (const PageInstant& instant : page.instants) {
    points.push_back({instant.stored.at, instant.totals.footprint()});
  }
  return points;
}

/// False if that is clear before anything is counted.
bool may_say_something(LayerGrouping grouping, std::span<const LayeredPage> loads) {
  return std::ranges::any_of(loads, [grouping](const LayeredPage& page) {
    switch (grouping) {
      case LayerGrouping::kLane:
        return false;
      case LayerGrouping::kTensor:
        return !page.load.trace->definitions().tensors.empty();
      case LayerGrouping::kPhase:
        return !page.load.phases.empty();
      default:
        return true;
    }
  });
}

/// Layer by layer instead of point by point.
std::vector<std::vector<std::uint64_t>> by_layer(std::span<const std::uint64_t> bytes,
                                                 std::size_t layers) {
  std::vector<std::vector<std::uint64_t>> rows(layers);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    rows[i % layers].push_back(bytes[i]);
  }
  return rows;
}

/// @param bytes of the columns, and behind them of the instants.
void add_load(std::span<const std::uint64_t> bytes, const LayeredPage& load, PageLayers& page) {
  const std::size_t count = page.layers.size();
  const std::size_t of_instants = load.instants.size() * count;
  page.bytes.push_back(by_layer(bytes.first(bytes.size() - of_instants), count));
  page.at_instants.push_back(by_layer(bytes.last(of_instants), count));
}

}  // namespace

std::vector<std::size_t> layered_columns(const PageColumns& columns) {
  constexpr std::size_t kMaxPoints = 512;
  const std::size_t count = columns.columns.size();
  const std::size_t step = count / kMaxPoints + 1;
  std::vector<std::size_t> chosen;
  for (std::size_t first = 0; first < count; first += step) {
    const auto begin = columns.columns.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(step, count - first));
    const auto highest = std::max_element(
        begin, end, [](const auto& a, const auto& b) { return highest_of(a) < highest_of(b); });
    chosen.push_back(static_cast<std::size_t>(highest - columns.columns.begin()));
  }
  return chosen;
}

std::vector<LayerPoint> layered_points(analyzer::LoadedTrace& trace, const PageColumns& columns) {
  const auto& borders = columns.borders;
  std::vector<LayerPoint> points;
  for (const std::size_t c : layered_columns(columns)) {
    points.push_back(
        analyzer::layer_point(trace, borders[c], borders[c + 1], highest_of(columns.columns[c])));
  }
  return points;
}

std::vector<PageLayers> page_layers(std::span<const LayeredPage> loads) {
  std::vector<std::vector<LayerPoint>> points;
  std::vector<analyzer::LayeredLoad> layered;
  for (const LayeredPage& page : loads) {
    points.push_back(points_of(page));
    layered.push_back(page.load);
  }
  std::vector<LayerGrouping> groupings;
  std::ranges::copy_if(analyzer::kLayerGroupings, std::back_inserter(groupings),
                       [&](LayerGrouping one) { return may_say_something(one, loads); });
  auto layers = FootprintLayers::by_each(layered, groupings);
  std::erase_if(layers, [](const FootprintLayers& one) {
    return !analyzer::nothing_to_layer(one.grouping(), one.layers()).empty();
  });
  std::vector<PageLayers> all;
  for (const FootprintLayers& one : layers) {
    all.push_back({.by = one.grouping(), .layers = one.layers(), .bytes = {}, .at_instants = {}});
  }
  for (std::size_t load = 0; load < loads.size(); ++load) {
    const auto bytes = FootprintLayers::at_each(layers, load, points[load]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      add_load(bytes[i], loads[load], all[i]);
    }
  }
  return all;
}

}  // namespace tidemark::html
