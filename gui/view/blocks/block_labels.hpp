/// Texts on the blocks: what each is, and one for neighbours that are too small for a text of their
/// own.
#pragma once

#include "gui/view/blocks/block_arrows.hpp"
#include "gui/view/blocks/block_plot.hpp"

namespace tidemark::gui {

/// @param arrows no text covers their shafts.
void draw_block_labels(BlockPlot& plot, const ArrowPainter& arrows);

}  // namespace tidemark::gui
