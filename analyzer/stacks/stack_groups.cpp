#include "analyzer/stacks/stack_groups.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Gives each recorded frame the ids of the texts that it reads as.
class FrameTexts {
 public:
  explicit FrameTexts(const trace::Definitions& definitions) : definitions_(definitions) {}

  /// Equal strings read the same.
  std::u32string ids_of(trace::StackId stack) {
    std::u32string ids;
    for (const trace::FrameId frame : recorded_frames(definitions_, stack)) {
      ids += ids_of(frame);
    }
    return ids;
  }

 private:
  const std::u32string& ids_of(trace::FrameId frame) {
    const auto [entry, is_new] = frames_.try_emplace(trace::index(frame));
    if (is_new) {
      for (const NamedFrame& named : named_frame(definitions_, frame)) {
        const auto next = static_cast<char32_t>(texts_.size());
        const std::string text =
            named.function + '\t' + named.file + ':' + std::to_string(named.line);
        entry->second += texts_.try_emplace(text, next).first->second;
      }
    }
    return entry->second;
  }

  const trace::Definitions& definitions_;
  std::unordered_map<std::string, char32_t> texts_;
  std::unordered_map<std::uint32_t, std::u32string> frames_;  // By FrameId.
};

}  // namespace

std::vector<StackGroup> group_stacks(const LiveSet& live, const trace::Definitions& definitions) {
  FrameTexts texts(definitions);
  std::unordered_map<std::u32string, std::size_t> known;
  std::vector<StackGroup> groups;
  for (const LiveStack& stack : live.stacks) {
    if (!trace::in_footprint(stack.lane) || stack.bytes == 0) {
      continue;  // File mappings are no part of the footprint.
    }
    auto key = texts.ids_of(stack.stack);
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
