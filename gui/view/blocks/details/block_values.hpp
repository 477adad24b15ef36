/// Texts about what a block's values show, apart from tensors that files list.
#pragma once

#include "gui/view/blocks/block_story.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// `59.9 MiB of it hold values of smile.ser, with the bytes of each number in the other order:
/// known by values, at the peak`: a line for each file and form, and one for blocks that hold the
/// same. If there are several looks, uses the one that holds at the peak, else the last.
/// @param peak_ns none: the last look is used.
std::vector<std::string> value_lines(const BlockStory& story,
                                     const trace::Definitions& definitions,
                                     std::optional<std::uint64_t> peak_ns);

}  // namespace tidemark::gui
