/// The live blocks over time: each big one a shape of its own, small ones of one stack a shape
/// together, the rest a band on top.
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
  std::string content;  ///< The weights in it; empty: not known.
  picture::Colour colour;
};

/// Bytes on their way: between two blocks, or from a file.
struct BlockArrow {
  std::optional<std::uint64_t>
      from;                         ///< A block's number; none: a file, or memory that is no block.
  std::optional<std::uint64_t> to;  ///< The same.
  double first = 0;                 ///< The column in which the first of them went.
  double last = 0;
  std::string text;  ///< `240.0 MiB copied`.
};

struct BlockPicture {
  const BlockList* list = nullptr;  ///< Borrowed.
  const BlockStack* stack = nullptr;
  const std::vector<picture::StackedColumn>* columns = nullptr;  ///< For the band: the footprint.
  std::uint64_t highest = 1;                                     ///< Bytes at the upper edge.
  /// What of the band is whose; none: it is grey. See hill_of.
  const Hill* hill = nullptr;
  std::function<BlockName(const LongBlock&)> name;
  std::optional<std::uint64_t> hovered;   ///< A block's number; it may be one of a bundle.
  std::optional<std::uint64_t> pinned{};  ///< The same: it has an outline.
  std::vector<BlockArrow> arrows{};
  std::function<bool(const LongBlock&)> lit{};  ///< The others stand back; null: none does.
};

/// Blocks lower than this, in pixels, are bundled; bundles lower than this are part of the band.
constexpr double kMinBlockPixels = 4;

/// `place`: one column a pixel.
void draw_blocks(picture::Scene& scene,
                 const BlockPicture& picture,
                 const picture::Box& place,
                 const Look& look);

}  // namespace tidemark::gui
