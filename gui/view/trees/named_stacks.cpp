#include "gui/view/trees/named_stacks.hpp"

namespace tidemark::gui {
namespace {

std::uint64_t key_of(std::uint32_t number, trace::Lane lane) {
  return std::uint64_t{number} * trace::kLaneCount + static_cast<std::uint64_t>(lane);
}

}  // namespace

void Weight::add(const Weight& other) {
  bytes += other.bytes;
  blocks += other.blocks;
  freed += other.freed;
}

void StackNamer::add(trace::StackId stack, trace::Lane lane, const Weight& weight) {
  named_.total.add(weight);
  const std::uint32_t reading = readings_.of(stack);
  const auto [row, is_new] = rows_.try_emplace(key_of(reading, lane), named_.stacks.size());
  if (is_new) {
    WeightedStack& added = named_.stacks.emplace_back();
    added.lane = lane;
    added.frames = readings_.frames_of(reading);
  }
  WeightedStack& found = named_.stacks[row->second];
  found.weight.add(weight);
  const auto [known, is_first] =
      known_.try_emplace(key_of(trace::index(stack), lane), found.recorded.size());
  if (is_first) {
    found.recorded.push_back(stack);
    found.recorded_bytes.push_back(0);
  }
  found.recorded_bytes[known->second] += weight.bytes;
}

NamedStacks StackNamer::take() {
  named_.frames = readings_.take_frames();
  return std::move(named_);
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
