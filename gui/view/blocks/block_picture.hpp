/// The live blocks over time: each big block is a shape, small blocks of one stack share a shape,
/// and the rest is a band on top.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "analyzer/picture/stacked_columns.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/blocks/block_hill.hpp"
#include "gui/view/blocks/block_stack.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// What a block is called and which colour it has.
struct BlockName {
  std::string text;
  std::string content;  ///< The weights in the block; empty: not known.
  picture::Colour colour;
};

/// Bytes on their way: between two blocks, or from a file.
struct BlockArrow {
  std::optional<std::uint64_t>
      from;                         ///< A block's number; none: a file, or memory that is no block.
  std::optional<std::uint64_t> to;  ///< The same.
  double first = 0;                 ///< The column in which the first bytes went.
  double last = 0;
  std::string text;  ///< `240.0 MiB copied`.
};

struct BlockPicture {
  const BlockList* list = nullptr;  ///< Borrowed.
  const BlockStack* stack = nullptr;
  const std::vector<picture::StackedColumn>* columns = nullptr;  ///< The footprint, for the band.
  std::uint64_t highest = 1;                                     ///< Bytes at the upper edge.
  /// Divides the band by layer; null: the band is grey. See hill_of.
  const Hill* hill = nullptr;
  std::function<BlockName(const LongBlock&)> name;
  std::optional<std::uint64_t> hovered;   ///< A block's number, perhaps in a bundle.
  std::optional<std::uint64_t> pinned{};  ///< The same: it has an outline.
  std::vector<BlockArrow> arrows{};
  std::function<bool(const LongBlock&)> lit{};  ///< Other blocks fade; null: none fades.
};

/// Blocks less high than this, in pixels, are bundled; bundles less high join the band.
constexpr double kMinBlockPixels = 4;

/// `place`: one pixel per column.
void draw_blocks(picture::Scene& scene,
                 const BlockPicture& picture,
                 const picture::Box& place,
                 const Look& look);

}  // namespace tidemark::gui
