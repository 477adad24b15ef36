/// Stacks the blocks that are alive on top of each other, column by column.
#pragma once

#include "gui/view/blocks/block_list.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::gui {

/// A shape's position over some columns.
struct BlockRun {
  std::size_t begin = 0;  ///< Columns [begin, end).
  std::size_t end = 0;
  std::uint64_t bottom = 0;  ///< Bytes of the blocks below it.
  std::uint64_t bytes = 0;   ///< The shape's; for a bundle, those of its blocks alive there.

  [[nodiscard]] std::uint64_t top() const { return bottom + bytes; }
};

/// A block, or a bundle of blocks that one stack asked for and that are each too small for a shape.
struct BlockShape {
  std::size_t block = 0;       ///< Index into BlockList::blocks; for a bundle, its first in view.
  std::size_t count = 1;       ///< Blocks in view; more than one is a bundle.
  std::uint64_t most = 0;      ///< The most bytes alive at once.
  std::vector<BlockRun> runs;  ///< From left to right. A bundle may have gaps.
};

/// Covers the columns in view. Each column shows the blocks of one instant, the one at which most
/// of their bytes were alive, so even a block that lives for one event is seen.
struct BlockStack {
  std::vector<BlockShape> shapes;       ///< In order of their begin, oldest first: at the bottom.
  std::vector<std::uint64_t> heights;   ///< By column: bytes of all blocks shown there.
  std::vector<std::uint64_t> instants;  ///< By column: when its blocks were alive, in ns.
  std::size_t folded = 0;               ///< Listed blocks in view, too small even as a bundle.
  std::uint64_t smallest = 0;           ///< This and the next: see stack_blocks.
  std::optional<std::uint64_t> alone;
};

/// `borders`: of the columns, in ns. Blocks under `smallest` bytes are bundled by stack and lane;
/// bundles that never reach it are folded. Work: proportional to the blocks in view, plus the
/// shapes alive in each column with a change.
/// @param alone the number of a block that gets a shape of its own, however small it is.
BlockStack stack_blocks(const BlockList& list,
                        std::span<const std::uint64_t> borders,
                        std::uint64_t smallest,
                        std::optional<std::uint64_t> alone = {});

/// The shape that covers a height in a column; an index into `shapes`.
std::optional<std::size_t> shape_at(const BlockStack& stack,
                                    std::size_t column,
                                    std::uint64_t bytes);

/// The block at a height in a column of a shape. The blocks of a bundle that are alive there are
/// stacked oldest first; above them, the answer is the largest of them.
/// @param list what the stack was made from.
/// @param shape an index into `shapes`.
/// @return an index into BlockList::blocks.
std::size_t block_at(const BlockList& list,
                     const BlockStack& stack,
                     std::size_t shape,
                     std::size_t column,
                     std::uint64_t bytes);

/// Where one block of a stack lies.
struct BlockSpot {
  std::size_t shape = 0;       ///< An index into `shapes`: its own, or its bundle.
  std::vector<BlockRun> runs;  ///< Its own; empty if it is alive in no column's instant.
};

/// @param list what the stack was made from.
/// @param block an index into BlockList::blocks.
/// @return none if it is folded or not in view. Work: linear in the blocks, whatever the columns.
std::optional<BlockSpot> spot_of(const BlockList& list, const BlockStack& stack, std::size_t block);

}  // namespace tidemark::gui
