#include "gui/view/trees/difference_tree.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

class Merger {
 public:
  Merger() { enter(0, {.name = "all"}); }

  void add(const ComparisonRow& row, TreeOrder order) {
    std::uint32_t node = 0;
    count(node, row);
    const auto pass = [&](const ShownFrame& frame) {
      node = child(node, frame);
      count(node, row);
    };
    if (row.frames.empty()) {
      pass({.name = row.name()});
    } else if (order == TreeOrder::kTopDown) {
      std::for_each(row.frames.rbegin(), row.frames.rend(), pass);
    } else {
      std::ranges::for_each(row.frames, pass);
    }
  }

  DifferenceTree take() {
    add_own_bytes();
    link_children(tree_);
    return {std::move(tree_), std::move(sides_)};
  }

 private:
  void count(std::uint32_t node, const ComparisonRow& row) {
    sides_[node].before += row.before_bytes;
    sides_[node].after += row.after_bytes;
    tree_.nodes[node].weight.bytes += std::max(row.before_bytes, row.after_bytes);
  }

  /// What a node holds besides its children, as a child: else what changed there would be a gap.
  void add_own_bytes() {
    std::vector<Sides> own = sides_;
    std::vector<std::uint64_t> own_bytes(sides_.size());
    std::vector<bool> has_children(sides_.size());
    for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      own_bytes[i] += tree_.nodes[i].weight.bytes;
      if (i != 0) {
        const std::uint32_t parent = tree_.nodes[i].parent;
        has_children[parent] = true;
        own[parent].before -= sides_[i].before;
        own[parent].after -= sides_[i].after;
        own_bytes[parent] -= tree_.nodes[i].weight.bytes;
      }
    }
    for (std::uint32_t i = 1; i < own.size(); ++i) {
      if (!has_children[i] || own_bytes[i] == 0) {
        continue;
      }
      const NodeLabel& label = *tree_.nodes[i].label;
      enter(i, {.name = "(itself)",
                .full = (label.full.empty() ? label.name : label.full) + " itself",
                .place = label.place});
      sides_.back() = own[i];
      tree_.nodes.back().weight.bytes = own_bytes[i];
      tree_.depth = std::max(tree_.depth, depths_[i] + 1);
    }
  }

  std::uint32_t child(std::uint32_t parent, const ShownFrame& frame) {
    const auto next = static_cast<std::uint32_t>(keys_.size());
    const std::string& key = frame.key.empty() ? frame.name : frame.key;
    const auto [child, is_new] = children_.of(parent, keys_.try_emplace(key, next).first->second);
    if (is_new) {
      enter(parent, {.name = frame.name,
                     .full = frame.full,
                     .place = frame.place,
                     .file = frame.file,
                     .alone = frame.alone});
      depths_[child] = depths_[parent] + 1;
      tree_.depth = std::max(tree_.depth, depths_[child]);
    }
    return child;
  }

  void enter(std::uint32_t parent, NodeLabel label) {
    const NodeLabel& kept = tree_.labels.emplace_back(std::move(label));
    tree_.nodes.push_back({.label = &kept, .weight = {}, .parent = parent});
    sides_.emplace_back();
    depths_.push_back(0);
  }

  CallTree tree_;
  std::vector<Sides> sides_;
  std::vector<std::uint32_t> depths_;                    // By node.
  std::unordered_map<std::string, std::uint32_t> keys_;  // To a number of each.
  analyzer::ChildIndex children_;                        // By the number of a key.
};

}  // namespace

DifferenceTree difference_tree(const std::vector<ComparisonRow>& rows, TreeOrder order) {
  Merger merger;
  for (const ComparisonRow& row : rows) {
    merger.add(row, order);
  }
  return merger.take();
}

FoldedDifference fold_recursion(const DifferenceTree& whole) {
  FoldedDifference difference{fold_recursion(whole.tree), {}};
  const std::vector<std::uint32_t>& node_of = difference.folded.node_of;
  difference.sides.resize(difference.folded.tree.nodes.size());
  for (std::size_t i = 0; i < whole.sides.size(); ++i) {
    // What a function holds through itself is in what it holds.
    if (i == 0 || node_of[i] != node_of[whole.tree.nodes[i].parent]) {
      difference.sides[node_of[i]].before += whole.sides[i].before;
      difference.sides[node_of[i]].after += whole.sides[i].after;
    }
  }
  return difference;
}

}  // namespace tidemark::gui
