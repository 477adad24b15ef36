#include "gui/view/trees/difference_tree.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

TreeNode node_named(std::string name) {
  TreeNode node;
  node.name = std::move(name);
  return node;
}

class Merger {
 public:
  Merger() { enter_new(node_named("all")); }

  void add(const NamedStacks& stacks, std::uint64_t Sides::*side, TreeOrder order) {
    for (const WeightedStack& stack : stacks.stacks) {
      std::vector<std::uint32_t> frames = stack.frames;
      if (order == TreeOrder::kTopDown) {
        std::ranges::reverse(frames);
      }
      std::uint32_t node = 0;
      sides_[0].*side += stack.weight.bytes;
      const auto pass = [&](TreeNode next) {
        node = child(node, std::move(next));
        sides_[node].*side += stack.weight.bytes;
      };
      for (const std::uint32_t frame : frames) {
        const analyzer::NamedFrame& named = stacks.frames[frame].name;
        TreeNode next = node_named(analyzer::short_name(named));
        next.full = named.function;
        next.place = place_text(named);
        pass(std::move(next));
      }
      if (frames.empty()) {
        pass(node_named("(no stack)"));
      }
    }
  }

  DifferenceTree take() {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      tree_.nodes[i].weight.bytes = std::max(sides_[i].before, sides_[i].after);
    }
    sort_children(tree_);
    return {std::move(tree_), std::move(sides_)};
  }

 private:
  std::uint32_t child(std::uint32_t parent, TreeNode node) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const auto [child, is_new] =
        children_.of(parent, names_.try_emplace(node.name, next).first->second);
    if (is_new) {
      node.parent = parent;
      enter_new(std::move(node));
      tree_.nodes[parent].children.push_back(child);
      depths_[child] = depths_[parent] + 1;
      tree_.depth = std::max(tree_.depth, depths_[child]);
    }
    return child;
  }

  void enter_new(TreeNode node) {
    tree_.nodes.push_back(std::move(node));
    sides_.emplace_back();
    depths_.push_back(0);
  }

  CallTree tree_;
  std::vector<Sides> sides_;
  std::vector<std::uint32_t> depths_;                     // By node.
  std::unordered_map<std::string, std::uint32_t> names_;  // To a number of each.
  analyzer::ChildIndex children_;                         // By name.
};

}  // namespace

DifferenceTree difference_tree(const NamedStacks& before,
                               const NamedStacks& after,
                               TreeOrder order) {
  Merger merger;
  merger.add(before, &Sides::before, order);
  merger.add(after, &Sides::after, order);
  return merger.take();
}

}  // namespace tidemark::gui
