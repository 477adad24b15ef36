#include "gui/view/trees/folded_tree.hpp"

#include "analyzer/stacks/alike/interned_frames.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

/// Numbers of what nodes are called.
class LabelNumbers {
 public:
  struct Numbers {
    std::uint32_t function = 0;  ///< The same at each of its lines.
    std::uint32_t label = 0;
  };

  Numbers of(const NodeLabel& label) {
    const auto [known, is_new] = numbers_.try_emplace(&label);
    if (is_new) {
      const std::string& name = label.full.empty() ? label.name : label.full;
      known->second = {number({name, label.file.empty() ? label.place : label.file, ""}),
                       number({name, label.file, label.name + '\n' + label.place})};
    }
    return known->second;
  }

 private:
  using Words = std::array<std::string, 3>;

  std::uint32_t number(const Words& words) {
    return words_.try_emplace(words, static_cast<std::uint32_t>(words_.size())).first->second;
  }

  std::unordered_map<const NodeLabel*, Numbers> numbers_;
  std::map<Words, std::uint32_t> words_;
};

}  // namespace

std::vector<std::uint32_t> FoldedTree::path(const std::vector<std::uint32_t>& whole) const {
  std::vector<std::uint32_t> path;
  for (const std::uint32_t node : whole) {
    if (path.empty() || path.back() != node_of[node]) {
      path.push_back(node_of[node]);
    }
  }
  return path;
}

std::string times_text(std::uint32_t times) {
  return times == 1 ? "" : " ×" + std::to_string(times);
}

FoldedTree fold_recursion(const CallTree& whole) {
  FoldedTree folded;
  if (whole.nodes.empty()) {
    return folded;
  }
  auto& nodes = folded.tree.nodes;
  LabelNumbers numbers;
  analyzer::ChildIndex children;
  nodes.push_back({.label = whole.root().label, .weight = whole.root().weight});
  folded.node_of.assign(whole.nodes.size(), 0);
  folded.times.push_back(1);
  std::vector<std::uint32_t> functions{numbers.of(*whole.root().label).function};
  std::vector<std::uint32_t> depths{0};
  std::vector<std::uint32_t> in_a_row(whole.nodes.size(), 1);
  // Parents come first.
  for (std::size_t i = 1; i < whole.nodes.size(); ++i) {
    const TreeNode& node = whole.nodes[i];
    const std::uint32_t parent = folded.node_of[node.parent];
    const LabelNumbers::Numbers called = numbers.of(*node.label);
    if (parent != 0 && functions[parent] == called.function) {
      // Its bytes are in those of the upper one.
      folded.node_of[i] = parent;
      in_a_row[i] = in_a_row[node.parent] + 1;
      folded.times[parent] = std::max(folded.times[parent], in_a_row[i]);
      continue;
    }
    const auto [child, is_new] = children.of(parent, called.label);
    if (is_new) {
      nodes.push_back({.label = node.label, .weight = {}, .parent = parent});
      folded.times.push_back(1);
      functions.push_back(called.function);
      depths.push_back(depths[parent] + 1);
      folded.tree.depth = std::max(folded.tree.depth, depths.back());
    }
    nodes[child].weight.add(node.weight);
    folded.node_of[i] = child;
  }
  for (const std::uint32_t end : whole.ends) {
    folded.tree.ends.push_back(folded.node_of[end]);
  }
  link_children(folded.tree);
  return folded;
}

}  // namespace tidemark::gui
