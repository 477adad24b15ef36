#include "gui/view/trees/stack_pairs.hpp"

#include "analyzer/stacks/comparable_frame.hpp"

#include <set>
#include <string>

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

}  // namespace

std::vector<analyzer::StackPair> pairs_of(const NamedStacks& before, const NamedStacks& after) {
  analyzer::FrameTable table(modules_of(before), modules_of(after));
  const auto old_stacks = comparable(before, table, "before");
  const auto new_stacks = comparable(after, table, "after");
  return analyzer::match_stacks(old_stacks, new_stacks);
}

}  // namespace tidemark::gui
