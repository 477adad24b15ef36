#include "analyzer/query/frame_choice.hpp"

#include <algorithm>
#include <cstdint>

namespace tidemark::analyzer {
namespace {

bool is_python(const trace::Frame& frame) {
  return frame.language == trace::FrameLanguage::kPython;
}

/// Where one node of the recorded table stands.
struct Place {
  std::uint32_t shown = 0;  ///< The node that it reads as; 0: none.
  bool is_python = false;
  bool is_in_python = false;  ///< It or a frame further out is.
};

bool is_shown(const Place& node, const Place& caller, FrameChoice choice) {
  switch (choice) {
    case FrameChoice::kBoth:
      // The native frame just inside a Python frame is the evaluator.
      return node.is_python || !caller.is_python;
    case FrameChoice::kPython:
      return node.is_python || !node.is_in_python;
    case FrameChoice::kNative:
      return !node.is_python;
  }
  return true;
}

}  // namespace

std::vector<trace::StackNode> chosen_stacks(const trace::Definitions& recorded,
                                            FrameChoice choice) {
  std::vector<trace::StackNode> stacks = recorded.stacks;
  std::vector<Place> places(stacks.size());
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    trace::StackNode& node = stacks[i];
    const std::size_t frame = trace::index(node.frame);
    const Place& caller = places[std::min<std::size_t>(trace::index(node.parent), i - 1)];
    Place& place = places[i];
    place.is_python = frame < recorded.frames.size() && is_python(recorded.frames[frame]);
    place.is_in_python = place.is_python || caller.is_in_python;
    const bool hides_callers = choice == FrameChoice::kPython && place.is_python;
    const bool has_hidden_callers = hides_callers && !caller.is_in_python;
    place.shown = is_shown(place, caller, choice) || caller.shown == 0 ? i : caller.shown;
    if (place.shown == i) {
      node.parent = has_hidden_callers ? trace::kNoStack : trace::StackId{caller.shown};
    } else {
      node = stacks[place.shown];
    }
  }
  return stacks;
}

bool has_python_frames(const trace::Definitions& definitions) {
  return std::ranges::any_of(definitions.frames, is_python);
}

}  // namespace tidemark::analyzer
