#include "analyzer/stacks/stack_groups.hpp"

#include "analyzer/stacks/interned_frames.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
std::vector<StackGroup> group_stacks(const LiveSet& live, const trace::Definitions& definitions) {
  InternedFrames table(Reading::kLine);
  RecordedFrames frames(definitions, table);
  std::unordered_map<std::u32string, std::size_t> known;  // By the numbers of frames, and lane.
  std::vector<StackGroup> groups;
  for (const LiveStack& stack : live.stacks) {
    if (!trace::in_footprint(stack.lane) || stack.bytes == 0) {
      continue;  // File mappings are no part of the footprint.
    }
    const auto ids = frames.of(stack.stack);
    std::u32string key(ids.begin(), ids.end());
    key += static_cast<char32_t>(stack.lane);
    const auto [entry, is_new] = known.try_emplace(std::move(key), groups.size());
    if (is_new) {
      groups.push_back({.lane = stack.lane, .stack = stack.stack});
    }
    groups[entry->second].bytes += stack.bytes;
    groups[entry->second].blocks += stack.blocks;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StackGroup::bytes);
  return groups;
}

}  // namespace tidemark::analyzer
