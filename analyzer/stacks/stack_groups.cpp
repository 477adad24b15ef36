#include "analyzer/stacks/stack_groups.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {

std::size_t StackReadings::number_of(trace::StackId stack, char32_t kind) {
  const auto ids = frames_.of(stack);
  std::u32string key(ids.begin(), ids.end());
  key += kind;
  return known_.try_emplace(std::move(key), known_.size()).first->second;
}

std::vector<StackGroup> group_stacks(const LiveSet& live, const trace::Definitions& definitions) {
  StackReadings readings(definitions);
  std::vector<StackGroup> groups;
  for (const LiveStack& stack : live.stacks) {
    if (!trace::in_footprint(stack.lane) || stack.bytes == 0) {
      continue;  // File mappings are no part of the footprint.
    }
    const std::size_t number = readings.number_of(stack.stack, static_cast<char32_t>(stack.lane));
    if (number == groups.size()) {
      groups.push_back({.lane = stack.lane, .stack = stack.stack});
    }
    groups[number].bytes += stack.bytes;
    groups[number].blocks += stack.blocks;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StackGroup::bytes);
  return groups;
}

}  // namespace tidemark::analyzer
