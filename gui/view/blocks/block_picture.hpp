/// The live blocks over time: each big block is a shape, small blocks of one stack share a shape,
/// and the rest is a band on top.
#pragma once

#include "gui/view/blocks/block_plot.hpp"

namespace tidemark::gui {

/// Blocks less high than this, in pixels, are bundled; bundles less high join the band.
constexpr double kMinBlockPixels = 4;

/// `place`: one pixel per column.
void draw_blocks(picture::Scene& scene,
                 const BlockPicture& picture,
                 const picture::Box& place,
                 const Look& look);

}  // namespace tidemark::gui
