#include "analyzer/export/stack_tree.hpp"

#include <algorithm>

namespace tidemark::exports {

StackTree::StackTree(FrameNames& names, Order order) : names_(names), order_(order), nodes_(1) {}

std::vector<StackTree::Step> StackTree::steps_of(trace::StackId stack) {
  std::vector<Step> steps;
  for (const trace::FrameId frame : analyzer::recorded_frames(names_.definitions(), stack)) {
    for (const std::uint32_t name : names_.of(frame)) {
      steps.push_back({name, frame});
    }
  }
  if (order_ == Order::kOutermostFirst) {
    std::ranges::reverse(steps);
  } else {
    const auto asking = std::ranges::find_if_not(
        steps, [this](const Step& step) { return names_.is_plumbing(step.name); });
    steps.erase(steps.begin(), asking == steps.end() ? steps.begin() : asking);
    steps.resize(std::min(steps.size(), kDeepestAsking));
  }
  return steps;
}

std::uint32_t StackTree::child(std::uint32_t parent, std::uint32_t name) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [entry, is_new] = children_.try_emplace(std::uint64_t{parent} << 32U | name, next);
  if (is_new) {
    TreeNode& node = nodes_.emplace_back();
    node.parent = parent;
    node.depth = nodes_[parent].depth + 1;
    node.name = name;
    nodes_[parent].children.push_back(next);
  }
  return entry->second;
}

void StackTree::add(const StackRow& row) {
  const auto steps = steps_of(row.stack);
  std::uint32_t node = steps.empty() ? child(0, FrameNames::kUnknown) : 0;
  for (const Step& step : steps) {
    node = child(node, step.name);
    nodes_[node].frame = step.frame;
    nodes_[node].has_frame = true;
  }
  nodes_[node].self += row.values;
}

void StackTree::finish() {
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    TreeNode& node = nodes_[i];
    node.total += node.self;  // The children came later, and have added theirs.
    if (i > 0) {
      nodes_[node.parent].total += node.total;
    }
  }
  for (TreeNode& node : nodes_) {
    std::ranges::stable_sort(node.children, [this](std::uint32_t a, std::uint32_t b) {
      return holds_more(nodes_[a].total, nodes_[b].total);
    });
  }
}

std::vector<std::uint32_t> StackTree::depth_first() const {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> waiting{0};
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    if (node != 0) {
      order.push_back(node);
    }
    const auto& children = nodes_[node].children;
    waiting.insert(waiting.end(), children.rbegin(), children.rend());
  }
  return order;
}

StackTree tree_of_lane(const StackTable& table, trace::Lane lane, FrameNames& names) {
  StackTree tree(names, Order::kOutermostFirst);
  for (const StackRow& row : table.rows) {
    if (row.lane == lane) {
      tree.add(row);
    }
  }
  tree.finish();
  return tree;
}

}  // namespace tidemark::exports
