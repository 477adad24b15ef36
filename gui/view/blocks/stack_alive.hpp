/// How much of the memory that one stack asked for is alive at an instant.
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
  bool has_block = false;  ///< The block in question is among them.
};

/// Counts the listed blocks that the stack of `block` asked for.
StackAlive stack_alive(const BlockList& list, const LongBlock& block, std::uint64_t at_ns);

/// `one of 64 blocks of exactly this stack: 260.0 MiB`. Says so if the list leaves out blocks.
std::string stack_alive_text(const BlockList& list, const StackAlive& alive);

/// The instants to report. Equal ones are reported once.
struct StackInstants {
  std::optional<std::uint64_t> clicked_ns;  ///< Where the block was clicked on.
  std::optional<std::uint64_t> chosen_ns;   ///< None: the peak.
  std::uint64_t peak_ns = 0;
};

/// `at the peak, one of 64 blocks of exactly this stack: 260.0 MiB`, one line per instant.
std::vector<std::string> stack_alive_lines(const BlockList& list,
                                           const LongBlock& block,
                                           const StackInstants& instants);

}  // namespace tidemark::gui
