#include "gui/view/trees/named_stacks.hpp"

#include <algorithm>

namespace tidemark::gui {
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

/// Innermost first. Of frames that read the same in several modules of one path, the first one's
/// build id is kept.
std::vector<std::uint32_t> StackNamer::frames_of(trace::StackId stack) {
  const trace::Definitions& definitions = frames_.definitions();
  std::vector<std::uint32_t> all;
  for (const trace::FrameId recorded : analyzer::recorded_frames(definitions, stack)) {
    const auto ids = frames_.of(recorded);
    all.insert(all.end(), ids.begin(), ids.end());
    if (builds_.size() == table_.size()) {
      continue;
    }
    const auto module = trace::index(definitions.frames[trace::index(recorded)].module);
    const auto& modules = definitions.modules;
    builds_.resize(table_.size(), module < modules.size() ? modules[module].build_id : "");
  }
  return all;
}

NamedStacks StackNamer::take() {
  for (std::uint32_t id = 0; id < table_.size(); ++id) {
    named_.frames.push_back({table_[id], std::move(builds_[id])});
  }
  return std::move(named_);
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
  const std::vector<std::uint32_t> frames = frames_of(stack);
  std::vector<analyzer::NamedFrame> names;
  names.reserve(frames.size());
  for (const std::uint32_t id : frames) {
    names.push_back(table_[id]);
  }
  const auto [begin, end] = frames_that_matter(names);
  WeightedStack& added = named_.stacks.emplace_back();
  added.stack = stack;
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
