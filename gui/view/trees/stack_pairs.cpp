#include "gui/view/trees/stack_pairs.hpp"

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <set>
#include <string>

namespace tidemark::gui {
namespace {

using analyzer::ComparableStack;

/// FrameTable needs definitions with the modules.
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
                                        analyzer::ComparableTree& tree,
                                        const std::string& side) {
  std::vector<analyzer::ComparableFrame> frames;
  for (const StackFrame& frame : stacks.frames) {
    frames.push_back(table.add(frame.name, frame.build.empty() ? side : frame.build));
  }
  std::vector<ComparableStack> found;
  std::vector<analyzer::ComparableFrame> of_stack;
  for (const WeightedStack& stack : stacks.stacks) {
    of_stack.clear();
    for (const std::uint32_t frame : stack.frames) {
      of_stack.push_back(frames[frame]);
    }
    found.push_back(
        {.lane = stack.lane, .bytes = stack.weight.bytes, .node = tree.node_of(of_stack)});
  }
  return found;
}

}  // namespace

std::vector<analyzer::StackPair> pairs_of(const NamedStacks& before, const NamedStacks& after) {
  analyzer::FrameTable table(modules_of(before), modules_of(after));
  analyzer::ComparableTree tree;
  const auto old_stacks = comparable(before, table, tree, "before");
  const auto new_stacks = comparable(after, table, tree, "after");
  return analyzer::match_stacks(tree, old_stacks, new_stacks);
}

}  // namespace tidemark::gui
