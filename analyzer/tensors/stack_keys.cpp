#include "analyzer/tensors/stack_keys.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <utility>

namespace tidemark::analyzer {

const StackKeys::Key& StackKeys::of(trace::StackId stack) {
  const auto [entry, is_new] = by_stack_.try_emplace(trace::index(stack));
  if (is_new) {
    Key lines = python_lines(stack);
    if (lines.empty()) {
      lines = native_lines(stack);
    } else {
      lines.push_back(places_.of(stack));
      lines.push_back(kPython);
    }
    entry->second = std::move(lines);
  }
  return entry->second;
}

StackKeys::Key StackKeys::python_lines(trace::StackId stack) const {
  Key frames;
  for (; stack != trace::kNoStack; stack = definitions_.stacks[trace::index(stack)].parent) {
    const trace::FrameId frame = definitions_.stacks[trace::index(stack)].frame;
    if (definitions_.frames[trace::index(frame)].language == trace::FrameLanguage::kPython) {
      frames.push_back(trace::index(frame));
    }
  }
  return frames;
}

StackKeys::Key StackKeys::native_lines(trace::StackId stack) {
  Key lines;
  for (const trace::FrameId id : recorded_frames(definitions_, stack)) {
    for (const NamedFrame& frame : named_frame(definitions_, id)) {
      if (!is_allocation_plumbing(frame)) {
        const std::uint32_t call = frame.line == 0 ? trace::index(id) : 0;
        const auto known = lines_.try_emplace(Line(frame.function, frame.file, frame.line, call),
                                              static_cast<std::uint32_t>(lines_.size()));
        lines.push_back(known.first->second);
      }
    }
  }
  return lines.empty() ? Key{trace::index(stack), kPlumbing} : lines;
}

}  // namespace tidemark::analyzer
