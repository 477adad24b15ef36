/// Blocks of a trace as the window's pane of blocks has them.
#pragma once

#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::tests {

/// All that a gatherer finds, the `most` largest listed.
gui::BlockList gathered(analyzer::LoadedTrace& trace, std::size_t most = 1000);
/// Of so many columns that are equally wide: one more, from 0 to `end_ns`.
std::vector<std::uint64_t> borders(std::uint64_t end_ns, std::uint64_t count);
/// No two blocks share a place, and each column is as high as its blocks together.
void check_invariants(const gui::BlockStack& stack);

}  // namespace tidemark::tests
