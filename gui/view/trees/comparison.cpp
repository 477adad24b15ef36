#include "gui/view/trees/comparison.hpp"

#include "gui/view/trees/call_tree.hpp"
#include "gui/view/trees/stack_pairs.hpp"

#include <algorithm>
#include <functional>

namespace tidemark::gui {
namespace {

std::vector<ShownFrame> shown_frames(const NamedStacks& stacks, const WeightedStack& stack) {
  std::vector<ShownFrame> shown;
  for (const std::uint32_t frame : stack.frames) {
    const analyzer::NamedFrame& named = stacks.frames[frame].name;
    shown.push_back({.name = analyzer::short_name(named),
                     .full = named.function,
                     .place = place_text(named),
                     .file = named.file,
                     .alone = analyzer::lone_name(named),
                     .key = analyzer::lineless_short_name(named)});
  }
  return shown;
}

std::uint64_t distance(const ComparisonRow& row) {
  return static_cast<std::uint64_t>(std::max(row.change(), -row.change()));
}

}  // namespace

std::vector<ComparisonRow> compare(const NamedStacks& before, const NamedStacks& after) {
  const auto& old_stacks = before.stacks;
  const auto& new_stacks = after.stacks;
  std::vector<bool> is_paired_before(old_stacks.size());
  std::vector<bool> is_paired_after(new_stacks.size());
  std::vector<ComparisonRow> rows;
  for (const analyzer::StackPair& pair : pairs_of(before, after)) {
    ComparisonRow& row = rows.emplace_back();
    row.before_bytes = old_stacks[pair.before].weight.bytes;
    row.after_bytes = new_stacks[pair.after].weight.bytes;
    row.is_similar = pair.is_similar;
    row.frames = shown_frames(after, after.stacks[pair.after]);
    is_paired_before[pair.before] = true;
    is_paired_after[pair.after] = true;
  }
  for (std::size_t i = 0; i < old_stacks.size(); ++i) {
    if (!is_paired_before[i]) {
      ComparisonRow& row = rows.emplace_back();
      row.before_bytes = old_stacks[i].weight.bytes;
      row.frames = shown_frames(before, before.stacks[i]);
    }
  }
  for (std::size_t i = 0; i < new_stacks.size(); ++i) {
    if (!is_paired_after[i]) {
      ComparisonRow& row = rows.emplace_back();
      row.after_bytes = new_stacks[i].weight.bytes;
      row.frames = shown_frames(after, after.stacks[i]);
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, distance);
  return rows;
}

}  // namespace tidemark::gui
