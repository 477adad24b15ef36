#include "analyzer/stacks/stack_groups.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {

std::size_t StackReadings::number_of(trace::StackId stack, char32_t kind) {
  auto ids = frames_.of(stack);
  drop_python_calls(ids);
  std::u32string key(ids.begin(), ids.end());
  key += kind;
  return known_.try_emplace(std::move(key), known_.size()).first->second;
}

void StackReadings::drop_python_calls(std::vector<std::uint32_t>& frames) {
  const auto is_python = [this](std::uint32_t frame) { return table_[frame].is_python; };
  const auto python = std::ranges::find_if(frames, is_python);
  const auto evaluator = std::find_if_not(python, frames.end(), is_python);
  if (evaluator == frames.end()) {
    return;
  }
  const std::string& interpreter = table_[*evaluator].module;
  // What the interpreter itself asked for, inside of the innermost line, is what the row is.
  const auto asked = std::find_if(frames.begin(), python, [&](std::uint32_t frame) {
    return table_[frame].module != interpreter && !is_plumbing(frame);
  });
  frames.erase(std::remove_if(asked == python ? python : asked, frames.end(),
                              [&](std::uint32_t frame) {
                                return is_call(frame) && table_[frame].module == interpreter;
                              }),
               frames.end());
}

bool StackReadings::is_call(std::uint32_t frame) {
  is_call_.resize(table_.size());
  if (!is_call_[frame]) {
    is_call_[frame] = !table_[frame].is_python && is_python_call(table_[frame]);
  }
  return *is_call_[frame];
}

bool StackReadings::is_plumbing(std::uint32_t frame) {
  is_plumbing_.resize(table_.size());
  if (!is_plumbing_[frame]) {
    is_plumbing_[frame] = is_allocation_plumbing(table_[frame]);
  }
  return *is_plumbing_[frame];
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
