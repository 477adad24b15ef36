/// What the footprint is made of, as stored in a page.
#pragma once

#include "analyzer/html/contents/columns.hpp"
#include "analyzer/html/contents/page_instants.hpp"
#include "analyzer/layers/footprint_layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::html {

/// One load of a page, the highest instants of the columns of `layered_columns`, and those whose
/// live sets the page has. All stays borrowed.
struct LayeredPage {
  analyzer::LayeredLoad load;
  std::span<const analyzer::LayerPoint> columns;
  std::span<const PageInstant> instants{};
};

/// The layers of one grouping.
struct PageLayers {
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  std::vector<analyzer::FootprintLayer> layers;
  /// By load and layer: the bytes when the footprint was highest, for each of `layered_columns`.
  std::vector<std::vector<std::vector<std::uint64_t>>> bytes;
  /// The same for the instants.
  std::vector<std::vector<std::vector<std::uint64_t>>> at_instants;
};

/// Divides the columns into stretches of equal size and takes the column with the highest footprint
/// from each; all columns if there are only few.
std::vector<std::size_t> layered_columns(const PageColumns& columns);

/// When the footprint was first highest, for each of these columns.
std::vector<analyzer::LayerPoint> layered_points(analyzer::LoadedTrace& trace,
                                                 const PageColumns& columns);

/// One for each grouping that applies to a load, except lanes, which are on the page anyway.
std::vector<PageLayers> page_layers(std::span<const LayeredPage> loads);

}  // namespace tidemark::html
