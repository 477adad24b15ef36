#include "analyzer/gate/merged_stacks.hpp"

#include "analyzer/stacks/comparable_frame.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace tidemark::analyzer {

std::vector<ReportStack> merged_by_function(std::span<const ReportStack> stacks) {
  std::map<std::string, std::size_t> by_key;
  std::vector<ReportStack> merged;
  for (const ReportStack& stack : stacks) {
    std::string key(1, static_cast<char>('0' + static_cast<int>(stack.lane)));
    for (const NamedFrame& frame : stack.frames) {
      key += '\n' + lineless_name(frame);
    }
    const auto [known, is_new] = by_key.try_emplace(std::move(key), merged.size());
    if (is_new) {
      merged.push_back(stack);
    } else {
      merged[known->second].bytes += stack.bytes;
      merged[known->second].blocks += stack.blocks;
    }
  }
  std::ranges::stable_sort(merged, std::ranges::greater{}, &ReportStack::bytes);
  return merged;
}

}  // namespace tidemark::analyzer
