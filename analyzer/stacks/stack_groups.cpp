#include "analyzer/stacks/stack_groups.hpp"

#include "analyzer/stacks/comparable_frame.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Numbers for functions whatever the line: each recorded frame's name is made once.
class Functions {
 public:
  explicit Functions(const trace::Definitions& definitions) : frames_(definitions, table_) {}

  /// Innermost first.
  std::vector<std::uint32_t> of(trace::StackId stack) {
    auto ids = frames_.of(stack);
    for (std::uint32_t& id : ids) {
      id = function_of(id);
    }
    return ids;
  }

 private:
  std::uint32_t function_of(std::uint32_t frame) {
    while (functions_.size() <= frame) {
      const auto next = static_cast<std::uint32_t>(known_.size());
      const NamedFrame& named = table_[static_cast<std::uint32_t>(functions_.size())];
      functions_.push_back(known_.try_emplace(lineless_name(named), next).first->second);
    }
    return functions_[frame];
  }

  InternedFrames table_{Reading::kModule};
  RecordedFrames frames_;
  std::vector<std::uint32_t> functions_;                  // By frame.
  std::unordered_map<std::string, std::uint32_t> known_;  // By name.
};

}  // namespace

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

std::vector<StackGroup> merged_by_function(const std::vector<StackGroup>& groups,
                                           const trace::Definitions& definitions) {
  Functions functions(definitions);
  ChildIndex nodes;
  std::unordered_map<std::uint32_t, std::size_t> known;  // By node, to index into `merged`.
  std::vector<StackGroup> merged;
  for (const StackGroup& group : groups) {
    const auto frames = functions.of(group.stack);
    // Outermost first: what stacks have in common is in the index once.
    std::uint32_t node = nodes.of(0, static_cast<std::uint32_t>(group.lane)).node;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      node = nodes.of(node, *frame).node;
    }
    const auto [place, is_new] = known.try_emplace(node, merged.size());
    if (is_new) {
      merged.push_back(group);
    } else {
      merged[place->second].bytes += group.bytes;
      merged[place->second].blocks += group.blocks;
    }
  }
  std::ranges::stable_sort(merged, std::ranges::greater{}, &StackGroup::bytes);
  return merged;
}

}  // namespace tidemark::analyzer
