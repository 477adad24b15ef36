#include "gui/view/trees/named_stacks.hpp"

#include <algorithm>

namespace tidemark::gui {
namespace {

/// What people would read: two frames that read the same are one.
std::string reading_of(const analyzer::NamedFrame& frame) {
  return frame.function + '\0' + frame.file + '\0' + std::to_string(frame.line) + '\0' +
         frame.module;
}

}  // namespace

void Weight::add(const Weight& other) {
  bytes += other.bytes;
  blocks += other.blocks;
  freed += other.freed;
}

std::pair<std::size_t, std::size_t> frames_that_matter(
    const std::vector<analyzer::NamedFrame>& stack) {
  const std::size_t begin = analyzer::asking_frame(stack);
  const std::size_t end = analyzer::startup_begin(stack);
  return begin < end ? std::pair(begin, end) : std::pair(std::size_t{0}, stack.size());
}

std::uint32_t StackNamer::id_of(const analyzer::NamedFrame& frame, trace::FrameId recorded) {
  const auto [entry, is_new] =
      ids_.try_emplace(reading_of(frame), static_cast<std::uint32_t>(named_.frames.size()));
  if (is_new) {
    const auto module = trace::index(definitions_.frames[trace::index(recorded)].module);
    const auto& modules = definitions_.modules;
    named_.frames.push_back({frame, module < modules.size() ? modules[module].build_id : ""});
  }
  return entry->second;
}

const std::vector<std::uint32_t>& StackNamer::inlined(trace::FrameId frame) {
  const std::size_t index = trace::index(frame);
  if (index >= by_frame_.size()) {
    by_frame_.resize(std::max(index + 1, definitions_.frames.size()));
    is_known_.resize(by_frame_.size());
  }
  if (!is_known_[index]) {
    is_known_[index] = true;
    for (const analyzer::NamedFrame& one : analyzer::named_frame(definitions_, frame)) {
      by_frame_[index].push_back(id_of(one, frame));
    }
  }
  return by_frame_[index];
}

void StackNamer::add(trace::StackId stack, trace::Lane lane, const Weight& weight) {
  named_.total.add(weight);
  const std::uint64_t key =
      std::uint64_t{trace::index(stack)} * trace::kLaneCount + static_cast<std::uint64_t>(lane);
  const auto [row, is_new] = rows_.try_emplace(key, named_.stacks.size());
  if (!is_new) {
    named_.stacks[row->second].weight.add(weight);
    return;
  }
  std::vector<std::uint32_t> frames;
  for (const trace::FrameId frame : analyzer::recorded_frames(definitions_, stack)) {
    const auto& ids = inlined(frame);
    frames.insert(frames.end(), ids.begin(), ids.end());
  }
  std::vector<analyzer::NamedFrame> names;
  names.reserve(frames.size());
  for (const std::uint32_t id : frames) {
    names.push_back(named_.frames[id].name);
  }
  const auto [begin, end] = frames_that_matter(names);
  WeightedStack& added = named_.stacks.emplace_back();
  added.lane = lane;
  added.weight = weight;
  added.frames.assign(frames.begin() + static_cast<std::ptrdiff_t>(begin),
                      frames.begin() + static_cast<std::ptrdiff_t>(end));
}

NamedStacks named_stacks(const analyzer::LiveSet& live, const trace::Definitions& definitions) {
  StackNamer namer(definitions);
  for (const analyzer::LiveStack& stack : live.stacks) {
    // File mappings are no part of the footprint.
    if (trace::in_footprint(stack.lane) && stack.bytes > 0) {
      namer.add(stack.stack, stack.lane, {.bytes = stack.bytes, .blocks = stack.blocks});
    }
  }
  return namer.take();
}

}  // namespace tidemark::gui
