/// The small blocks, perhaps millions, stacked by layer above the blocks that are drawn one by one.
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

/// In each column, `bands.highest` adds up to the footprint minus the blocks shown there.
struct Hill {
  picture::Bands bands;
  std::vector<std::string> names;  ///< Names of the bands.
};

/// The layers of the footprint without the blocks that are shown one by one.
/// @param bands the timeline's, for the columns in view.
/// @param layer_of the layer of a block.
Hill hill_of(const picture::Bands& bands,
             const std::vector<analyzer::FootprintLayer>& layers,
             const BlockStack& stack,
             const std::vector<picture::StackedColumn>& columns,
             const std::function<std::size_t(std::size_t block)>& layer_of);

/// The part of the hill at some height in a column.
struct HillPart {
  std::size_t band = 0;     ///< Index into Hill::names.
  std::uint64_t bytes = 0;  ///< Held by the band in that column.
};

/// @param bytes height above the axis: the shown blocks come first, the hill is on top of them.
std::optional<HillPart> hill_part_at(const Hill& hill,
                                     const BlockStack& stack,
                                     std::size_t column,
                                     std::uint64_t bytes);

/// Two lines that explain `bytes` of the hill in a column: they are part of the column's highest
/// footprint, while the blocks shown are those alive at an instant of their own: see BlockStack.
/// @param span_ns begin and end of the column.
/// @param blocks_ns that instant.
std::vector<std::string> small_blocks_words(std::uint64_t bytes,
                                            std::pair<std::uint64_t, std::uint64_t> span_ns,
                                            std::uint64_t blocks_ns);

}  // namespace tidemark::gui
