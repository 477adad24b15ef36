#include "gui/view/trees/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace tidemark::gui {

std::uint64_t measured(const Weight& weight, Measure measure) {
  switch (measure) {
    case Measure::kFreed:
      return weight.freed;
    case Measure::kKept:
      return weight.kept();
    case Measure::kGivenBack:
      return weight.given_back;
    case Measure::kBytes:
      break;
  }
  return weight.bytes;
}

std::uint64_t measured_blocks(const Weight& weight, Measure measure) {
  switch (measure) {
    case Measure::kFreed:
      return weight.freed_blocks;
    case Measure::kKept:
      return weight.blocks - weight.freed_blocks;
    case Measure::kGivenBack:
      return weight.given_back_blocks;
    case Measure::kBytes:
      break;
  }
  return weight.blocks;
}

const char* measure_text(Measure measure) {
  switch (measure) {
    case Measure::kFreed:
      return "freed";
    case Measure::kKept:
      return "kept";
    case Measure::kGivenBack:
      return "given back";
    case Measure::kBytes:
      break;
  }
  return "allocated";
}

std::vector<std::uint32_t> children_by(const CallTree& tree,
                                       std::uint32_t node,
                                       Measure measure,
                                       double least_bytes) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t child : tree.nodes[node].children) {
    const Weight& weight = tree.nodes[child].weight;
    const std::uint64_t bytes = measured(weight, measure);
    if (static_cast<double>(bytes) >= least_bytes &&
        (bytes > 0 || measured_blocks(weight, measure) > 0)) {
      found.push_back(child);
    }
  }
  if (measure != Measure::kBytes) {  // In the tree they are sorted by these.
    std::ranges::stable_sort(found, std::ranges::greater(), [&](std::uint32_t child) {
      return measured(tree.nodes[child].weight, measure);
    });
  }
  return found;
}

std::string tree_text(const CallTree& tree, Measure measure, std::size_t most_lines) {
  std::string text = "bytes\tblocks\tfunction\tplace\n";
  std::vector<std::pair<std::uint32_t, std::size_t>> open;  // Node and its depth, last one next.
  const auto push_children = [&](std::uint32_t node, std::size_t depth) {
    const auto children = children_by(tree, node, measure);
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      open.emplace_back(*child, depth);
    }
  };
  push_children(0, 0);
  for (std::size_t lines = 0; !open.empty() && lines < most_lines; ++lines) {
    const auto [index, depth] = open.back();
    open.pop_back();
    const TreeNode& node = tree.nodes[index];
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{:{}}{}\t{}\n",
                   measured(node.weight, measure), measured_blocks(node.weight, measure), "",
                   2 * depth, node.name(), node.place());
    push_children(index, depth + 1);
  }
  return text;
}

}  // namespace tidemark::gui
