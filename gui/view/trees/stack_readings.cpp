#include "gui/view/trees/stack_readings.hpp"

#include "analyzer/stacks/asker_rules.hpp"

#include <algorithm>

namespace tidemark::gui {
namespace {

/// The node of the frames at `places`, innermost first.
std::uint32_t node_of(analyzer::ChildIndex& tree,
                      const std::vector<std::uint32_t>& frames,
                      const std::vector<std::size_t>& places) {
  std::uint32_t node = 0;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    node = tree.of(node, frames[*place]).node;
  }
  return node;
}

std::vector<std::uint32_t> path_to(const analyzer::ChildIndex& tree, std::uint32_t node) {
  std::vector<std::uint32_t> keys;
  for (; node != 0; node = tree.parent_of(node)) {
    keys.push_back(tree.key_of(node));
  }
  return keys;
}

}  // namespace

StackReadings::Reading StackReadings::of(trace::StackId stack) {
  const std::uint32_t whole = step_of(stack);
  const std::uint32_t telling = telling_step(whole);
  if (telling == 0) {
    return {};
  }
  if (!steps_[telling].reading) {
    steps_[telling].reading = read(telling);
  }
  Reading reading = *steps_[telling].reading;
  if (telling != whole) {
    reading.called = read_called(whole, telling);
  }
  return reading;
}

analyzer::Outline<std::uint32_t> StackReadings::frames_of(Reading reading) const {
  return {.called = path_to(called_, reading.called), .asking = path_to(asking_, reading.asking)};
}

std::vector<StackFrame> StackReadings::take_frames() {
  std::vector<StackFrame> frames;
  frames.reserve(table_.size());
  for (std::uint32_t id = 0; id < table_.size(); ++id) {
    frames.push_back({table_[id], std::move(builds_[id])});
  }
  return frames;
}

/// The step at which a whole stack ends.
std::uint32_t StackReadings::step_of(trace::StackId stack) {
  const auto& stacks = recorded_.definitions().stacks;
  step_of_stack_.resize(stacks.size());
  std::vector<trace::StackId> inside;  // Stacks inside the part that is known.
  while (stack != trace::kNoStack && trace::index(stack) < stacks.size() &&
         step_of_stack_[trace::index(stack)] == 0) {
    inside.push_back(stack);
    stack = stacks[trace::index(stack)].parent;
  }
  std::uint32_t step =
      trace::index(stack) < stacks.size() ? step_of_stack_[trace::index(stack)] : 0;
  for (; !inside.empty(); inside.pop_back()) {
    const std::size_t one = trace::index(inside.back());
    const auto frames = frames_of(stacks[one].frame);
    for (std::size_t i = frames.size(); i > 0; --i) {
      step = step_inside(step, frames[i - 1]);
    }
    step_of_stack_[one] = step;
  }
  return step;
}

std::uint32_t StackReadings::step_inside(std::uint32_t outer, std::uint32_t frame) {
  const auto [step, is_new] = tree_.of(outer, frame);
  if (is_new) {
    const analyzer::FrameFacts& facts = facts_.of(frame);
    Step known = steps_[outer];
    known.reading.reset();
    ++known.depth;
    if (facts.is_python) {
      known.python = step;
      known.own_python =
          facts.origin == analyzer::PythonOrigin::kStandard ? known.own_python : step;
    }
    known.runtimes += facts.role == analyzer::EntryRole::kRuntime ? 1U : 0U;
    steps_.push_back(known);
  }
  return step;
}

/// Innermost first. If modules of one path have frames that read the same, the build id of the
/// first is kept.
std::span<const std::uint32_t> StackReadings::frames_of(trace::FrameId recorded) {
  const auto frames = recorded_.of(recorded);
  if (builds_.size() < table_.size()) {
    const trace::Definitions& definitions = recorded_.definitions();
    const auto module = trace::index(definitions.frames[trace::index(recorded)].module);
    const auto& modules = definitions.modules;
    builds_.resize(table_.size(), module < modules.size() ? modules[module].build_id : "");
  }
  return frames;
}

/// The step that determines the reading of a stack that ends at `step`: the asking line of Python,
/// whatever it called; or `step` itself if leaving out the calls could change where the reading's
/// outer end is.
std::uint32_t StackReadings::telling_step(std::uint32_t step) const {
  const Step& whole = steps_[step];
  const std::uint32_t asking = whole.own_python != 0 ? whole.own_python : whole.python;
  const bool has_same_end = asking != 0 && steps_[asking].depth >= analyzer::kStartupDepth &&
                            steps_[asking].runtimes == whole.runtimes;
  return has_same_end ? asking : step;
}

/// @param step where the stack ends.
StackReadings::Reading StackReadings::read(std::uint32_t step) {
  std::vector<std::uint32_t> frames;
  std::vector<analyzer::FrameFacts> facts;
  for (; step != 0; step = tree_.parent_of(step)) {
    frames.push_back(tree_.key_of(step));
    facts.push_back(facts_.of(frames.back()));
  }
  const analyzer::Outline<std::size_t> read =
      analyzer::find_outline(std::span<const analyzer::FrameFacts>(facts));
  return {.called = node_of(called_, frames, read.called),
          .asking = node_of(asking_, frames, read.asking)};
}

/// What the line of Python at the step `asking` called in the stack that ends at `step`. Frames
/// further out than the line's evaluator do not matter.
std::uint32_t StackReadings::read_called(std::uint32_t step, std::uint32_t asking) {
  std::vector<std::uint32_t> frames;
  std::vector<analyzer::FrameFacts> facts;
  const std::size_t inside = steps_[step].depth - steps_[asking].depth;
  for (bool is_evaluator = false; step != 0 && !is_evaluator; step = tree_.parent_of(step)) {
    frames.push_back(tree_.key_of(step));
    facts.push_back(facts_.of(frames.back()));
    is_evaluator = frames.size() > inside && !facts.back().is_python;
  }
  return node_of(called_, frames,
                 analyzer::find_called(std::span<const analyzer::FrameFacts>(facts), inside));
}

}  // namespace tidemark::gui
