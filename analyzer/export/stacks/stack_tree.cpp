#include "analyzer/export/stacks/stack_tree.hpp"

#include <algorithm>
#include <functional>

namespace tidemark::exports {

std::vector<std::uint32_t> StackTree::names_of(trace::StackId stack) {
  std::vector<std::uint32_t> names;
  for (const trace::FrameId frame : analyzer::recorded_frames(names_.definitions(), stack)) {
    const auto of_frame = names_.of(frame);
    names.insert(names.end(), of_frame.begin(), of_frame.end());
  }
  std::ranges::reverse(names);
  return names;
}

std::uint32_t StackTree::child(std::uint32_t parent, std::uint32_t name) {
  const auto [child, is_new] = children_.of(parent, name);
  if (is_new) {
    TreeNode& node = nodes_.emplace_back();
    node.parent = parent;
    node.depth = nodes_[parent].depth + 1;
    node.name = name;
    nodes_[parent].children.push_back(child);
  }
  return child;
}

void StackTree::add(const StackRow& row) {
  const auto names = names_of(row.stack);
  std::uint32_t node = names.empty() ? child(0, FrameNames::kUnknown) : 0;
  for (const std::uint32_t name : names) {
    node = child(node, name);
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

void StackTree::fold(double share) {
  if (share <= 0) {
    return;
  }
  const auto is_small_part = [share](std::uint64_t part, std::uint64_t whole) {
    return part == 0 || static_cast<double>(part) < share * static_cast<double>(whole);
  };
  const auto is_small = [&](std::uint32_t id) {
    const StackValues& all = nodes_[0].total;
    const StackValues& total = nodes_[id].total;
    return is_small_part(total.bytes, all.bytes) &&
           is_small_part(total.allocated_bytes, all.allocated_bytes);
  };
  const std::size_t count = nodes_.size();
  for (std::uint32_t id = 0; id < count; ++id) {
    auto& children = nodes_[id].children;
    const auto small =
        std::stable_partition(children.begin(), children.end(), std::not_fn(is_small));
    StackValues folded;
    for (auto child = small; child != children.end(); ++child) {
      folded += nodes_[*child].total;
    }
    children.erase(small, children.end());
    if (folded != StackValues{}) {
      append_folded(id, folded);
    }
  }
}

void StackTree::append_folded(std::uint32_t parent, const StackValues& values) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_[parent].children.push_back(id);
  TreeNode& node = nodes_.emplace_back();
  node.parent = parent;
  node.depth = nodes_[parent].depth + 1;
  node.name = FrameNames::kSmaller;
  node.self = node.total = values;
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
  StackTree tree(names);
  for (const StackRow& row : table.rows) {
    if (row.lane == lane) {
      tree.add(row);
    }
  }
  tree.finish();
  return tree;
}

}  // namespace tidemark::exports
