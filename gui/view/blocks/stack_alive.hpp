/// How much of what one stack asked for is alive at an instant.
#pragma once

#include "gui/view/blocks/block_list.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

struct StackAlive {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  bool has_block = false;  ///< The block that was asked about is among them.
};

/// Of the listed blocks, those that the stack of `block` asked for.
StackAlive stack_alive(const BlockList& list, const LongBlock& block, std::uint64_t at_ns);

/// `one of 64 blocks of exactly this stack: 260.0 MiB`; blocks that are not listed are said to be
/// left out.
std::string stack_alive_text(const BlockList& list, const StackAlive& alive);

/// When a person may want to know it. Instants that are the same are said once.
struct StackInstants {
  std::optional<std::uint64_t> clicked_ns;  ///< Where the block was clicked on.
  std::optional<std::uint64_t> chosen_ns;   ///< None: the peak.
  std::uint64_t peak_ns = 0;
};

/// `at the peak, one of 64 blocks of exactly this stack: 260.0 MiB`, a line an instant.
std::vector<std::string> stack_alive_lines(const BlockList& list,
                                           const LongBlock& block,
                                           const StackInstants& instants);

}  // namespace tidemark::gui
