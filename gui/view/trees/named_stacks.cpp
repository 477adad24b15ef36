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
  freed_blocks += other.freed_blocks;
  given_back += other.given_back;
  given_back_blocks += other.given_back_blocks;
}

void StackNamer::add(trace::StackId stack, trace::Lane lane, const Weight& weight) {
  named_.total.add(weight);
  const auto [known, is_first] = known_.try_emplace(key_of(trace::index(stack), lane));
  if (is_first) {
    known->second = enter(stack, lane);
  }
  WeightedStack& row = named_.stacks[known->second.row];
  CalledStack& called = row.called[known->second.called];
  row.weight.add(weight);
  called.weight.add(weight);
  called.recorded_bytes[known->second.recorded] += weight.bytes;
}

StackNamer::Place StackNamer::enter(trace::StackId stack, trace::Lane lane) {
  const StackReadings::Reading reading = readings_.of(stack);
  const auto [row, is_new_row] =
      rows_.try_emplace(key_of(reading.asking, lane), named_.stacks.size());
  if (is_new_row) {
    WeightedStack& added = named_.stacks.emplace_back();
    added.lane = lane;
    added.frames = readings_.frames_of(reading).asking;
  }
  std::vector<CalledStack>& of_row = named_.stacks[row->second].called;
  const std::uint64_t key = (std::uint64_t{row->second} << 32U) | reading.called;
  const auto [called, is_new] = called_.try_emplace(key, of_row.size());
  if (is_new) {
    of_row.emplace_back().frames = readings_.frames_of(reading).called;
  }
  CalledStack& found = of_row[called->second];
  found.recorded.push_back(stack);
  found.recorded_bytes.push_back(0);
  return {.row = row->second, .called = called->second, .recorded = found.recorded.size() - 1};
}

NamedStacks StackNamer::take() {
  named_.frames = readings_.take_frames();
  return std::move(named_);
}

NamedStacks named_stacks(const analyzer::LiveSet& live, const trace::Definitions& definitions) {
  StackNamer namer(definitions);
  for (const analyzer::LiveStack& stack : live.stacks) {
    // File mappings are not part of the footprint.
    if (trace::in_footprint(stack.lane) && stack.bytes > 0) {
      namer.add(stack.stack, stack.lane, {.bytes = stack.bytes, .blocks = stack.blocks});
    }
  }
  return namer.take();
}

}  // namespace tidemark::gui
