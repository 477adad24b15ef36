/// Finds room for a label in a shape of the block picture.
#pragma once

#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::gui {

/// A part of a shape with room for a label: the shape covers `bottom` to `top` in all its columns.
struct BlockStretch {
  std::size_t begin = 0;  ///< Columns [begin, end).
  std::size_t end = 0;
  std::uint64_t bottom = 0;
  std::uint64_t top = 0;
};

/// A long stretch in which the shape is at least `bytes` high everywhere; empty if there is none.
BlockStretch label_stretch(const BlockShape& shape, std::uint64_t bytes);

}  // namespace tidemark::gui
