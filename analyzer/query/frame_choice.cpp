#include "analyzer/query/frame_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Through so many callers a function without a name asks for memory on their behalf.
constexpr std::size_t kMinCallers = 8;

bool is_python(const trace::Frame& frame) {
  return frame.language == trace::FrameLanguage::kPython;
}

bool is_nameless(const trace::Definitions& recorded, std::size_t frame) {
  return frame < recorded.frames.size() && !is_python(recorded.frames[frame]) &&
         (frame >= recorded.locations.size() || recorded.locations[frame].empty() ||
          recorded.locations[frame].front().function.empty());
}

/// Whether other nodes are inside of a node.
std::vector<bool> inner_nodes(const trace::Definitions& recorded) {
  std::vector<bool> has_inner(recorded.stacks.size());
  for (std::size_t i = 1; i < recorded.stacks.size(); ++i) {
    const std::size_t parent = trace::index(recorded.stacks[i].parent);
    if (parent < i) {
      has_inner[parent] = true;
    }
  }
  return has_inner;
}

/// By frame: whether it is the way to malloc in a program whose symbols were removed, such as
/// Ruby's: a function without a name that itself asks, for many callers. Its address says nothing
/// about the purpose; the caller's does.
std::vector<bool> nameless_ways(const trace::Definitions& recorded,
                                const std::vector<bool>& has_inner) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> calls;  // The way, and its caller.
  for (std::size_t i = 1; i < recorded.stacks.size(); ++i) {
    const trace::StackNode& node = recorded.stacks[i];
    const std::size_t parent = trace::index(node.parent);
    if (!has_inner[i] && parent != 0 && parent < i &&
        is_nameless(recorded, trace::index(node.frame))) {
      calls.emplace_back(trace::index(node.frame), trace::index(recorded.stacks[parent].frame));
    }
  }
  std::ranges::sort(calls);
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  std::vector<std::size_t> callers(recorded.frames.size());
  std::vector<bool> ways(recorded.frames.size());
  for (const auto& [way, caller] : calls) {
    ways[way] = ++callers[way] >= kMinCallers;
  }
  return ways;
}

/// Where a node of the recorded table ends up.
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
  const std::vector<bool> has_inner = inner_nodes(recorded);
  const std::vector<bool> ways = choice == FrameChoice::kNative
                                     ? std::vector<bool>(recorded.frames.size())
                                     : nameless_ways(recorded, has_inner);
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    trace::StackNode& node = stacks[i];
    const std::size_t frame = trace::index(node.frame);
    const Place& caller = places[std::min<std::size_t>(trace::index(node.parent), i - 1)];
    Place& place = places[i];
    place.is_python = frame < recorded.frames.size() && is_python(recorded.frames[frame]);
    place.is_in_python = place.is_python || caller.is_in_python;
    const bool hides_callers = choice == FrameChoice::kPython && place.is_python;
    const bool has_hidden_callers = hides_callers && !caller.is_in_python;
    const bool is_way = !has_inner[i] && frame < ways.size() && ways[frame];
    place.shown =
        (is_shown(place, caller, choice) && !is_way) || caller.shown == 0 ? i : caller.shown;
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

bool has_nameless_ways(const trace::Definitions& definitions) {
  const std::vector<bool> ways = nameless_ways(definitions, inner_nodes(definitions));
  return std::ranges::find(ways, true) != ways.end();
}

}  // namespace tidemark::analyzer
