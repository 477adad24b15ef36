/// What lies above the blocks that are drawn one by one: millions of small ones, by who asked.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/bands.hpp"
#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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

/// What of the hill lies at a height in a column.
struct HillPart {
  std::size_t band = 0;     ///< Index into Hill::names.
  std::uint64_t bytes = 0;  ///< Of the band, in that column.
};

/// @param bytes above the ground, on which the shown blocks lie below the hill.
std::optional<HillPart> hill_part_at(const Hill& hill,
                                     const BlockStack& stack,
                                     std::size_t column,
                                     std::uint64_t bytes);

/// What lies above the blocks of a column is the highest footprint in it less the blocks, which are
/// those of an instant of their own: see BlockStack. Two lines.
/// @param span_ns the column.
std::vector<std::string> small_blocks_words(std::uint64_t bytes,
                                            std::pair<std::uint64_t, std::uint64_t> span_ns,
                                            std::uint64_t blocks_ns);

}  // namespace tidemark::gui
