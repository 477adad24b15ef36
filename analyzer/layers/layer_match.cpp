#include "analyzer/layers/layer_match.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace tidemark::analyzer {
namespace {

std::uint32_t line_of(const LayerKeys& keys, std::uint32_t key) {
  return keys[key].frame ? keys[key].frame->line : 0;
}

/// Keys that have no partner yet, by their names without lines, in the order of these.
std::map<std::string, std::vector<std::uint32_t>> unpaired(const LayerKeys& keys,
                                                           const std::vector<bool>& is_paired) {
  std::map<std::string, std::vector<std::uint32_t>> found;
  for (std::uint32_t key = 1; key < keys.size(); ++key) {
    if (!is_paired[key] && !keys[key].lineless.empty()) {
      found[keys[key].lineless].push_back(key);
    }
  }
  for (auto& [name, list] : found) {
    std::ranges::stable_sort(list, {}, [&keys](std::uint32_t key) { return line_of(keys, key); });
  }
  return found;
}

}  // namespace

std::vector<LayerPair> match_layers(const LayerKeys& before, const LayerKeys& after) {
  std::vector<LayerPair> pairs;
  std::vector<bool> is_paired_before(before.size());
  std::vector<bool> is_paired_after(after.size());
  const auto pair = [&](std::uint32_t one, std::uint32_t other) {
    is_paired_before[one] = true;
    is_paired_after[other] = true;
    pairs.emplace_back(one, other);
  };
  std::map<std::string_view, std::uint32_t> by_text;
  for (std::uint32_t key = 1; key < after.size(); ++key) {
    by_text.emplace(after[key].text, key);
  }
  for (std::uint32_t key = 1; key < before.size(); ++key) {
    if (const auto same = by_text.find(before[key].text); same != by_text.end()) {
      pair(key, same->second);
    }
  }
  const auto others = unpaired(after, is_paired_after);
  for (const auto& [name, keys] : unpaired(before, is_paired_before)) {
    const auto found = others.find(name);
    for (std::size_t i = 0;
         found != others.end() && i < std::min(keys.size(), found->second.size()); ++i) {
      pair(keys[i], found->second[i]);
    }
  }
  for (std::uint32_t key = 1; key < before.size(); ++key) {
    if (!is_paired_before[key]) {
      pairs.emplace_back(key, LayerKeys::kNone);
    }
  }
  for (std::uint32_t key = 1; key < after.size(); ++key) {
    if (!is_paired_after[key]) {
      pairs.emplace_back(LayerKeys::kNone, key);
    }
  }
  return pairs;
}

}  // namespace tidemark::analyzer
