#include "gui/view/blocks/stack_alive.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

namespace tidemark::gui {

StackAlive stack_alive(const BlockList& list, const LongBlock& block, std::uint64_t at_ns) {
  StackAlive alive;
  for (const LongBlock& one : list.blocks) {
    if (one.stack == block.stack && one.is_alive_at(at_ns)) {
      ++alive.blocks;
      alive.bytes += one.bytes;
      alive.has_block = alive.has_block || one.allocation == block.allocation;
    }
  }
  return alive;
}

std::string stack_alive_text(const BlockList& list, const StackAlive& alive) {
  const std::string left_out =
      list.others > 0 ? ", without those up to " + analyzer::format_size(list.smallest) : "";
  if (alive.blocks == 0) {
    return "no block of this stack" + left_out;
  }
  const std::string size = analyzer::format_size(alive.bytes) + left_out;
  if (alive.has_block && alive.blocks == 1) {
    return "the one block of this stack: " + size;
  }
  return fmt::format("{}{} {} of this stack: {}", alive.has_block ? "one of " : "",
                     analyzer::format_count(alive.blocks), alive.blocks == 1 ? "block" : "blocks",
                     size);
}

}  // namespace tidemark::gui
