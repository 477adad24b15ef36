#include "gui/view/trees/comparison.hpp"

#include "analyzer/stacks/comparable_frame.hpp"
#include "analyzer/stacks/stack_match.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace tidemark::gui {
namespace {

using analyzer::ComparableStack;

/// What FrameTable wants to know: which modules there are.
trace::Definitions modules_of(const NamedStacks& stacks) {
  std::set<std::string> paths;
  for (const StackFrame& frame : stacks.frames) {
    paths.insert(frame.name.module);
  }
  trace::Definitions definitions;
  definitions.modules.emplace_back();
  for (const std::string& path : paths) {
    definitions.modules.push_back({.path = path, .build_id = {}, .base = 0});
  }
  return definitions;
}

/// `side` stands for the build of modules without a build id.
std::vector<ComparableStack> comparable(const NamedStacks& stacks,
                                        analyzer::FrameTable& table,
                                        const std::string& side) {
  std::vector<analyzer::ComparableFrame> frames;
  for (const StackFrame& frame : stacks.frames) {
    frames.push_back(table.add(frame.name, frame.build.empty() ? side : frame.build));
  }
  std::vector<ComparableStack> found;
  for (const WeightedStack& stack : stacks.stacks) {
    ComparableStack& added = found.emplace_back();
    added.lane = stack.lane;
    added.bytes = stack.weight.bytes;
    for (const std::uint32_t frame : stack.frames) {
      added.frames.push_back(frames[frame]);
    }
  }
  return found;
}

std::vector<ShownFrame> shown_frames(const NamedStacks& stacks, const WeightedStack& stack) {
  std::vector<ShownFrame> shown;
  for (const std::uint32_t frame : stack.frames) {
    const analyzer::NamedFrame& named = stacks.frames[frame].name;
    shown.push_back({analyzer::short_name(named), named.function, place_text(named)});
  }
  return shown;
}

std::uint64_t distance(const ComparisonRow& row) {
  return static_cast<std::uint64_t>(std::max(row.change(), -row.change()));
}

}  // namespace

std::vector<ComparisonRow> compare(const NamedStacks& before, const NamedStacks& after) {
  analyzer::FrameTable table(modules_of(before), modules_of(after));
  const auto old_stacks = comparable(before, table, "before");
  const auto new_stacks = comparable(after, table, "after");
  std::vector<bool> is_paired_before(old_stacks.size());
  std::vector<bool> is_paired_after(new_stacks.size());
  std::vector<ComparisonRow> rows;
  for (const analyzer::StackPair& pair : analyzer::match_stacks(old_stacks, new_stacks)) {
    ComparisonRow& row = rows.emplace_back();
    row.before_bytes = old_stacks[pair.before].bytes;
    row.after_bytes = new_stacks[pair.after].bytes;
    row.is_similar = pair.is_similar;
    row.frames = shown_frames(after, after.stacks[pair.after]);
    is_paired_before[pair.before] = true;
    is_paired_after[pair.after] = true;
  }
  for (std::size_t i = 0; i < old_stacks.size(); ++i) {
    if (!is_paired_before[i]) {
      ComparisonRow& row = rows.emplace_back();
      row.before_bytes = old_stacks[i].bytes;
      row.frames = shown_frames(before, before.stacks[i]);
    }
  }
  for (std::size_t i = 0; i < new_stacks.size(); ++i) {
    if (!is_paired_after[i]) {
      ComparisonRow& row = rows.emplace_back();
      row.after_bytes = new_stacks[i].bytes;
      row.frames = shown_frames(after, after.stacks[i]);
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, distance);
  return rows;
}

}  // namespace tidemark::gui
