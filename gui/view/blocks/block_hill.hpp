/// What lies above the blocks that are drawn one by one: millions of small ones, by who asked.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/bands.hpp"
#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// `bands.highest` of each column adds up to what the footprint has beyond the blocks shown there.
struct Hill {
  picture::Bands bands;
  std::vector<std::string> names;  ///< Of the bands.
};

/// The layers of the footprint less those blocks of theirs that are shown.
/// @param bands of the columns in view, as the timeline has them.
/// @param layer_of the layer of a block.
Hill hill_of(const picture::Bands& bands,
             const std::vector<analyzer::FootprintLayer>& layers,
             const BlockStack& stack,
             const std::vector<picture::StackedColumn>& columns,
             const std::function<std::size_t(std::size_t block)>& layer_of);

}  // namespace tidemark::gui
