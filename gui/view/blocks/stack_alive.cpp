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
  const std::string left_out = list.others > 0 ? fmt::format(" (blocks up to {} left out)",
                                                             analyzer::format_size(list.smallest))
                                               : "";
  if (alive.blocks == 0) {
    return "no block of exactly this stack" + left_out;
  }
  const std::string size = analyzer::format_size(alive.bytes) + left_out;
  if (alive.has_block && alive.blocks == 1) {
    return "alone under its stack: " + size;
  }
  return fmt::format("{}{} {} of exactly this stack: {}", alive.has_block ? "one of " : "",
                     analyzer::format_count(alive.blocks), alive.blocks == 1 ? "block" : "blocks",
                     size);
}

std::vector<std::string> stack_alive_lines(const BlockList& list,
                                           const LongBlock& block,
                                           const StackInstants& instants) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& when, std::uint64_t at_ns) {
    lines.push_back(when + ", " + stack_alive_text(list, stack_alive(list, block, at_ns)));
  };
  const auto [clicked, chosen, peak] = instants;
  if (clicked && clicked != chosen && clicked != peak) {
    add("at " + analyzer::format_exact_time(*clicked) + ", where it was clicked on", *clicked);
  }
  if (chosen && chosen != peak) {
    add("at the chosen instant, " + analyzer::format_exact_time(*chosen), *chosen);
  }
  add("at the peak, " + analyzer::format_exact_time(peak), peak);
  return lines;
}

}  // namespace tidemark::gui
