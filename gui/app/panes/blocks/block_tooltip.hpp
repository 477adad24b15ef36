/// The tooltip for the block or layer under the pointer.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/blocks/block_hill.hpp"
#include "gui/view/blocks/block_list.hpp"
#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::gui {

/// For a layer of small blocks.
/// @param words see small_blocks_words.
/// @param blocks of all layers; null: not known yet.
void tell_hill(const Desk& desk,
               const Hill& hill,
               std::size_t band,
               const std::vector<std::string>& words,
               const LayerBlocks* blocks);

/// For a block.
/// @param shape the block's own, or its bundle.
/// @param partner a line about the same block in the other trace; empty: none.
void tell_block(const Desk& desk,
                std::size_t side,
                const LongBlock& block,
                const BlockShape& shape,
                const analyzer::BlockContents& contents,
                const std::string& partner);

}  // namespace tidemark::gui
