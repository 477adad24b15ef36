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
    if (order == TreeOrder::kBottomUp || row.frames.empty()) {
      const Sides sides{row.before_bytes, row.after_bytes};
      std::uint32_t node = count(0, sides);
      for (const ShownFrame& frame : row.frames) {
        node = count(child(node, frame), sides);
      }
      if (row.frames.empty()) {
        count(child(node, {.name = row.name()}), sides);
      }
      return;
    }
    for (const ComparedCall& call : row.called) {
      const Sides sides{call.before_bytes, call.after_bytes};
      std::uint32_t node = count(0, sides);
      for (const std::vector<ShownFrame>* frames : {&row.frames, &call.frames}) {
        for (std::size_t i = frames->size(); i-- > 0;) {
          node = count(child(node, (*frames)[i]), sides);
        }
      }
    }
  }

  DifferenceTree take() {
    add_own_bytes();
    link_children(tree_);
    return {std::move(tree_), std::move(sides_)};
  }

 private:
  /// @return the node.
  std::uint32_t count(std::uint32_t node, const Sides& sides) {
    sides_[node].before += sides.before;
    sides_[node].after += sides.after;
    tree_.nodes[node].weight.bytes += std::max(sides.before, sides.after);
    return node;
  }

  /// Makes what a node holds besides its children a child of its own: otherwise a change there
  /// would be drawn as a gap.
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
    // What a function holds through recursion is already in its own bytes.
    if (i == 0 || node_of[i] != node_of[whole.tree.nodes[i].parent]) {
      difference.sides[node_of[i]].before += whole.sides[i].before;
      difference.sides[node_of[i]].after += whole.sides[i].after;
    }
  }
  return difference;
}

}  // namespace tidemark::gui
