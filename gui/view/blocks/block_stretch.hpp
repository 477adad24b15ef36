/// Where in a shape of the block picture a label has room.
#pragma once

#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::gui {

/// A part of a shape that has room for a label: in all its columns from `bottom` to `top`.
struct BlockStretch {
  std::size_t begin = 0;  ///< Columns [begin, end).
  std::size_t end = 0;
  std::uint64_t bottom = 0;
  std::uint64_t top = 0;
};

/// A long stretch of the shape at least `bytes` high everywhere; empty where there is none.
BlockStretch label_stretch(const BlockShape& shape, std::uint64_t bytes);

}  // namespace tidemark::gui
