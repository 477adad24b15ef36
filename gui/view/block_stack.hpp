/// Stacks the blocks that are alive on top of each other, column by column.
#pragma once

#include "gui/view/block_list.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::gui {

/// Where a block lies over some columns: from `bottom` up by its own bytes.
struct BlockRun {
  std::size_t begin = 0;  ///< Columns [begin, end).
  std::size_t end = 0;
  std::uint64_t bottom = 0;  ///< Bytes of the blocks below it.
};

struct BlockShape {
  std::size_t block = 0;       ///< Index into BlockList::blocks.
  std::vector<BlockRun> runs;  ///< From left to right, without gaps.
};

/// Of the columns in view. In each, the blocks are those of one instant: when most bytes of them
/// were alive. So a block that lives for one event is seen.
struct BlockStack {
  std::vector<BlockShape> shapes;      ///< In order of their begin, oldest first: at the bottom.
  std::vector<std::uint64_t> heights;  ///< By column: bytes of all blocks shown there.
  std::size_t folded = 0;              ///< Listed blocks in view too small to be shown.
};

/// `borders`: of the columns, in ns. Blocks under `smallest` bytes are folded. Work: the blocks,
/// and for each column in which anything changes those that are alive in it.
BlockStack stack_blocks(const BlockList& list,
                        std::span<const std::uint64_t> borders,
                        std::uint64_t smallest);

/// The shape that covers a height in a column; an index into `shapes`.
std::optional<std::size_t> shape_at(const BlockStack& stack,
                                    const BlockList& list,
                                    std::size_t column,
                                    std::uint64_t bytes);

}  // namespace tidemark::gui
