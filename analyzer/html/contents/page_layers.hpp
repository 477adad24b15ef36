/// What the footprint is made of, as a page carries it.
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
  /// Of each load and each layer the bytes where the footprint stood highest in the columns of
  /// `layered_columns`.
  std::vector<std::vector<std::vector<std::uint64_t>>> bytes;
  /// The same at the instants.
  std::vector<std::vector<std::vector<std::uint64_t>>> at_instants;
};

/// Of so many stretches of equal numbers of columns the column with the highest footprint; all
/// columns of a load that has fewer.
std::vector<std::size_t> layered_columns(const PageColumns& columns);

/// Where the footprint stood highest in each of these columns, for the first time.
std::vector<analyzer::LayerPoint> layered_points(analyzer::LoadedTrace& trace,
                                                 const PageColumns& columns);

/// One for each grouping that says something of one of the loads: lanes are on the page anyhow.
std::vector<PageLayers> page_layers(std::span<const LayeredPage> loads);

}  // namespace tidemark::html
