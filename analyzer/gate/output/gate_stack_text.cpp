#include "analyzer/gate/output/gate_stack_text.hpp"

#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kSizeWidth = 14;
constexpr std::size_t kIndent = kSizeWidth + 2;

std::uint64_t weight(const GateStack& stack, bool grown) {
  return grown ? stack.bytes - stack.before_bytes : stack.bytes;
}

std::string size_column(const GateStack& stack, bool grown) {
  return (grown ? "+" : "") + format_size(weight(stack, grown));
}

/// Stacks worth lines of their own: what is below a hundredth of the largest explains nothing.
std::size_t shown_stacks(const ExcessStacks& excess, std::size_t top) {
  const std::uint64_t least = weight(excess.stacks.front(), excess.grown) / 100;
  std::size_t shown = 0;
  while (shown < std::min(top, excess.stacks.size()) &&
         weight(excess.stacks[shown], excess.grown) >= least) {
    ++shown;
  }
  return shown;
}

/// `1 block`, and beside a baseline what it was before: `24 blocks, 512.0 MiB; was 1, 8.0 MiB`.
std::string blocks_text(const GateStack& stack, bool grown) {
  const std::string now =
      fmt::format("{} {}", format_count(stack.blocks), stack.blocks == 1 ? "block" : "blocks");
  if (!grown) {
    return now;
  }
  return stack.before_bytes == 0
             ? now + ", new"
             : fmt::format("{}, {}; was {}, {}", now, format_size(stack.bytes),
                           format_count(stack.before_blocks), format_size(stack.before_bytes));
}

void append_stack(std::vector<std::string>& lines,
                  const GateStack& stack,
                  const TextStyle& style,
                  bool grown) {
  const std::size_t width = style.width - std::min(style.width - 1, kIndent);
  const std::string indent(kIndent, ' ');
  lines.push_back(right(size_column(stack, grown), kSizeWidth) + "  " +
                  asking_text(style, stack.frames, width));
  lines.push_back(indent + blocks_text(stack, grown));
  for (const std::string& line : chain_text(style, stack.frames, width)) {
    lines.push_back(indent + line);
  }
}

}  // namespace

std::vector<std::string> gate_stack_lines(const ExcessStacks& excess,
                                          const TextStyle& style,
                                          std::size_t top) {
  std::vector<std::string> lines;
  if (excess.stacks.empty()) {
    return lines;
  }
  lines.emplace_back(excess.grown ? "grew since the baseline:" : "alive then:");
  const std::size_t shown = shown_stacks(excess, top);
  std::uint64_t rest_bytes = excess.more_bytes;
  for (std::size_t i = 0; i < excess.stacks.size(); ++i) {
    if (i < shown) {
      append_stack(lines, excess.stacks[i], style, excess.grown);
    } else {
      rest_bytes += weight(excess.stacks[i], excess.grown);
    }
  }
  if (const std::uint64_t rest = excess.stacks.size() - shown + excess.more_stacks; rest != 0) {
    lines.push_back(
        right((excess.grown ? "+" : "") + format_size(rest_bytes), kSizeWidth) +
        fmt::format("  {} more {}", format_count(rest), rest == 1 ? "stack" : "stacks"));
  }
  return lines;
}

}  // namespace tidemark::analyzer
