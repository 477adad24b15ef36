/// The bands that add up to the footprint: lanes, or layers by function, tensor and so on.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/picture/stacked_columns.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace tidemark::picture {

/// Bytes of each band, column after column, at the instants when the footprint was highest and
/// lowest in the column. They add up to these footprints.
struct Bands {
  std::vector<Colour> colours;  ///< From the ground up.
  std::vector<std::uint64_t> highest;
  std::vector<std::uint64_t> lowest;
  /// For each column, the first time of its highest footprint, since the start of the recording.
  /// Empty: unknown, as for lanes.
  std::vector<std::uint64_t> highest_ns{};

  [[nodiscard]] std::size_t size() const { return colours.size(); }
  /// The sum of the first `count` bands of a column.
  [[nodiscard]] std::uint64_t up_to(const std::vector<std::uint64_t>& bytes,
                                    std::size_t column,
                                    std::size_t count) const {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(column * size());
    return std::accumulate(first, first + static_cast<std::ptrdiff_t>(count), std::uint64_t{0});
  }
};

Bands lane_bands(const std::vector<StackedColumn>& columns, const Theme& theme);

/// Names of the layers' colours, the same wherever they are drawn: `stays-0`, `goes-2`, `rest-0`,
/// as used for a theme's colours in a page.
std::vector<std::string> layer_colour_names(const std::vector<analyzer::FootprintLayer>& layers);
std::vector<Colour> layer_colours(const std::vector<analyzer::FootprintLayer>& layers,
                                  const Theme& theme);

/// Without colours.
/// @param borders of the columns; see Timeline::columns.
Bands layer_bands(const analyzer::FootprintLayers& layers,
                  std::size_t load,
                  analyzer::LoadedTrace& trace,
                  std::span<const std::uint64_t> borders,
                  const std::vector<StackedColumn>& columns);

/// The same for what is left of the load, in the columns of `without`.
Bands layer_bands(const analyzer::FootprintLayers& layers,
                  std::size_t load,
                  const analyzer::LoadWithout& without,
                  std::span<const std::uint64_t> borders,
                  const std::vector<analyzer::RemainingColumn>& columns);

}  // namespace tidemark::picture
