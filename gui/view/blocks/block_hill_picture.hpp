/// The layers above the blocks that are drawn one by one.
#pragma once

#include "analyzer/picture/drawing/pen.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/blocks/block_hill.hpp"

#include <cstdint>
#include <span>

namespace tidemark::gui {

/// Where a hill is drawn. All stays borrowed.
struct HillPlace {
  std::span<const std::uint64_t> heights;  ///< By column: bytes of the blocks under it.
  std::uint64_t highest = 1;               ///< Bytes at the upper edge.
  const picture::Box& place;               ///< One column a pixel.
  const Look& look;
};

/// Draws each band, with its name and its maximum where they fit.
void draw_hill(picture::Pen& pen, const Hill& hill, const HillPlace& place);

}  // namespace tidemark::gui
