#include "gui/view/trees/call_tree.hpp"

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// Takes the stacks in the order of their paths. Those with a common begin are adjacent, so each
/// node is made once and without a lookup.
class TreeBuilder {
 public:
  TreeBuilder(const NamedStacks& stacks, TreeOrder order)
      : stacks_(stacks), order_(order), labels_(stacks.frames.size()) {
    for (std::uint32_t row = 0; row < stacks.stacks.size(); ++row) {
      for (const CalledStack& called : stacks.stacks[row].called) {
        all_.push_back({.row = row, .called = &called});
      }
    }
    enter(0, &tree_.labels.emplace_back(NodeLabel{.name = "all"}));
    if (order == TreeOrder::kByModule || order == TreeOrder::kByFile) {
      group();
    }
  }

  CallTree build() {
    const std::vector<std::uint32_t> sorted = in_order_of_paths();
    tree_.ends.resize(sorted.size());
    std::vector<std::uint32_t> path{0};  // The previous stack's.
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::uint32_t stack = sorted[i];
      path.resize(1 + (i == 0 ? 0 : common_length(sorted[i - 1], stack)));
      for (std::size_t at = path.size() - 1; at < length(stack); ++at) {
        path.push_back(enter(path.back(), label(key(stack, at))));
      }
      tree_.nodes[path.back()].weight.add(all_[stack].called->weight);
      tree_.ends[stack] = path.back();
      tree_.depth = std::max(tree_.depth, static_cast<std::uint32_t>(path.size() - 1));
    }
    for (std::size_t i = tree_.nodes.size(); i-- > 1;) {
      tree_.nodes[tree_.nodes[i].parent].weight.add(tree_.nodes[i].weight);
    }
    link_children(tree_);
    return std::move(tree_);
  }

 private:
  static constexpr std::uint32_t kNameless = 0xffffffff;

  /// What the tree is built of: see CallTree::ends.
  struct Stack {
    std::uint32_t row = 0;  ///< Index into NamedStacks.
    const CalledStack* called = nullptr;
  };

  /// Finds the group of each row.
  void group() {
    std::unordered_map<std::string, std::uint32_t> known;
    for (const WeightedStack& stack : stacks_.stacks) {
      std::string full;
      std::string name = "no stack";
      if (!stack.frames.empty()) {
        const analyzer::NamedFrame& asking = stacks_.frames[stack.frames.front()].name;
        const bool is_by_file = order_ == TreeOrder::kByFile && !asking.file.empty();
        name = is_by_file ? base_name(asking.file) : analyzer::module_text(asking);
        full = is_by_file ? asking.file : asking.module.empty() ? name : asking.module;
      }
      const auto next = static_cast<std::uint32_t>(group_labels_.size());
      const auto [entry, is_new] = known.try_emplace(full, next);
      if (is_new) {
        group_labels_.push_back(&tree_.labels.emplace_back(NodeLabel{.name = name, .full = full}));
      }
      groups_.push_back(entry->second);
    }
  }

  /// Sorts by parts: stacks that are equal up to some place are divided by the key at that place,
  /// and each part by the next one. Deep stacks often begin alike; their common part is read once.
  [[nodiscard]] std::vector<std::uint32_t> in_order_of_paths() const {
    struct Part {
      std::span<std::uint32_t> stacks;
      std::size_t same;  // Number of leading keys that are equal.
    };
    std::vector<std::uint32_t> sorted(all_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::vector<Part> open{{sorted, 0}};
    while (!open.empty()) {
      const std::span<std::uint32_t> stacks = open.back().stacks;
      const std::size_t same = open.back().same;
      open.pop_back();
      if (stacks.size() < 2) {
        continue;
      }
      // Keys from 1 on; 0: the path ends before.
      const auto at = [this, same](std::uint32_t stack) {
        return same < length(stack) ? std::uint64_t{key(stack, same)} + 1 : std::uint64_t{0};
      };
      const std::uint64_t pivot = at(stacks[stacks.size() / 2]);
      // Not std::ranges::partition: clang 14 cannot compile its subrange.
      const auto not_below = std::partition(stacks.begin(), stacks.end(),
                                            [&](std::uint32_t stack) { return at(stack) < pivot; });
      const auto above = std::partition(not_below, stacks.end(),
                                        [&](std::uint32_t stack) { return at(stack) == pivot; });
      const std::span<std::uint32_t> smaller(stacks.begin(), not_below);
      const std::span<std::uint32_t> equal(not_below, above);
      const std::span<std::uint32_t> larger(above, stacks.end());
      open.push_back({smaller, same});
      open.push_back({larger, same});
      if (pivot != 0) {
        open.push_back({equal, same + 1});
      }
    }
    return sorted;
  }

  /// Length of a stack's path below the root.
  [[nodiscard]] std::size_t length(std::uint32_t stack) const {
    const std::size_t called = order_ == TreeOrder::kTopDown ? called_by(stack).size() : 0;
    return std::max<std::size_t>(asking(stack).size(), 1) + called + (groups_.empty() ? 0 : 1);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& asking(std::uint32_t stack) const {
    return stacks_.stacks[all_[stack].row].frames;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& called_by(std::uint32_t stack) const {
    return all_[stack].called->frames;
  }

  /// The key at a place of the path: the number of a frame, kNameless, or a group's number counted
  /// on from the frames.
  [[nodiscard]] std::uint32_t key(std::uint32_t stack, std::size_t at) const {
    if (!groups_.empty()) {
      if (at == 0) {
        return static_cast<std::uint32_t>(labels_.size()) + groups_[all_[stack].row];
      }
      --at;
    }
    const std::vector<std::uint32_t>& frames = asking(stack);
    if (frames.empty()) {
      return kNameless;
    }
    if (order_ != TreeOrder::kTopDown) {
      return frames[at];
    }
    const std::vector<std::uint32_t>& called = called_by(stack);
    return at < frames.size() ? frames[frames.size() - 1 - at]
                              : called[called.size() - 1 - (at - frames.size())];
  }

  [[nodiscard]] std::size_t common_length(std::uint32_t a, std::uint32_t b) const {
    const std::size_t shorter = std::min(length(a), length(b));
    std::size_t same = 0;
    while (same < shorter && key(a, same) == key(b, same)) {
      ++same;
    }
    return same;
  }

  const NodeLabel* label(std::uint32_t key) {
    if (key == kNameless) {
      if (nameless_ == nullptr) {
        nameless_ = &tree_.labels.emplace_back(NodeLabel{.name = "(no stack)"});
      }
      return nameless_;
    }
    if (key >= labels_.size()) {
      return group_labels_[key - labels_.size()];
    }
    if (labels_[key] == nullptr) {
      const analyzer::NamedFrame& named = stacks_.frames[key].name;
      labels_[key] = &tree_.labels.emplace_back(NodeLabel{.name = analyzer::short_name(named),
                                                          .full = named.function,
                                                          .place = place_text(named),
                                                          .file = named.file,
                                                          .line = named.line,
                                                          .alone = analyzer::lone_name(named)});
    }
    return labels_[key];
  }

  std::uint32_t enter(std::uint32_t parent, const NodeLabel* label) {
    tree_.nodes.push_back({.label = label, .weight = {}, .parent = parent});
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }

  const NamedStacks& stacks_;
  const TreeOrder order_;
  std::vector<Stack> all_;
  CallTree tree_;
  std::vector<const NodeLabel*> labels_;  // By frame; null: not needed so far.
  const NodeLabel* nameless_ = nullptr;
  std::vector<std::uint32_t> groups_;  // By row; empty: the tree has no groups.
  std::vector<const NodeLabel*> group_labels_;
};

/// The nodes below `node` that `frames` pass through, one a frame.
std::vector<std::uint32_t> followed(const CallTree& tree,
                                    std::uint32_t node,
                                    const std::vector<analyzer::NamedFrame>& frames) {
  std::vector<std::uint32_t> path;
  for (const analyzer::NamedFrame& frame : frames) {
    const auto& children = tree.nodes[node].children;
    const auto next = std::ranges::find_if(children, [&](std::uint32_t child) {
      return tree.nodes[child].full() == frame.function &&
             tree.nodes[child].place() == place_text(frame);
    });
    if (next == children.end()) {
      break;
    }
    node = *next;
    path.push_back(node);
  }
  return path;
}

/// Visits each stack that the tree was built of, with its last node.
template <typename Visit>
void for_each_end(const CallTree& tree, const NamedStacks& stacks, const Visit& visit) {
  auto end = tree.ends.begin();
  for (const WeightedStack& row : stacks.stacks) {
    for (const CalledStack& called : row.called) {
      if (end == tree.ends.end()) {
        return;
      }
      visit(*end++, called);
    }
  }
}

bool contains(const std::string& text, const std::string& wanted) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

}  // namespace

void link_children(CallTree& tree) {
  std::vector<std::uint32_t> begins(tree.nodes.size() + 1);  // By parent, of its children.
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    ++begins[tree.nodes[i].parent + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  tree.all_children.resize(tree.nodes.size() - 1);
  std::vector<std::uint32_t> next = begins;
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
    tree.all_children[next[tree.nodes[i].parent]++] = i;
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const auto children =
        std::span(tree.all_children).subspan(begins[i], begins[i + 1] - begins[i]);
    std::ranges::sort(children, [&tree](std::uint32_t a, std::uint32_t b) {
      const TreeNode& left = tree.nodes[a];
      const TreeNode& right = tree.nodes[b];
      return left.weight.bytes != right.weight.bytes ? left.weight.bytes > right.weight.bytes
                                                     : left.name() < right.name();
    });
    tree.nodes[i].children = children;
  }
}

CallTree build_tree(const NamedStacks& stacks, TreeOrder order) {
  return TreeBuilder(stacks, order).build();
}

std::vector<std::uint32_t> path_to(const CallTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> path;
  for (; node != 0 && node < tree.nodes.size(); node = tree.nodes[node].parent) {
    path.push_back(node);
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<trace::StackId> stacks_through(const CallTree& tree,
                                           const NamedStacks& stacks,
                                           std::uint32_t node) {
  // Parents come first.
  std::vector<bool> is_below(tree.nodes.size());
  is_below[node] = true;
  for (std::size_t i = node + std::size_t{1}; i < tree.nodes.size(); ++i) {
    is_below[i] = is_below[tree.nodes[i].parent];
  }
  std::vector<trace::StackId> found;
  for_each_end(tree, stacks, [&](std::uint32_t end, const CalledStack& stack) {
    if (is_below[end]) {
      found.insert(found.end(), stack.recorded.begin(), stack.recorded.end());
    }
  });
  return found;
}

std::vector<std::uint32_t> nodes_of(const CallTree& tree,
                                    const NamedStacks& stacks,
                                    const std::vector<std::uint32_t>& wanted) {
  struct Count {
    std::size_t all = 0;
    std::size_t wanted = 0;
  };
  std::vector<Count> through(tree.nodes.size());
  for_each_end(tree, stacks, [&](std::uint32_t end, const CalledStack& called) {
    Count& count = through[end];
    for (const trace::StackId stack : called.recorded) {
      ++count.all;
      count.wanted += std::ranges::binary_search(wanted, trace::index(stack)) ? 1U : 0U;
    }
  });
  std::vector<std::uint32_t> found;
  // Parents come first.
  for (std::size_t i = through.size(); i-- > 1;) {
    const Count& count = through[i];
    if (count.wanted == wanted.size() && count.all == wanted.size() && count.all > 0) {
      found.push_back(static_cast<std::uint32_t>(i));
    }
    Count& above = through[tree.nodes[i].parent];
    above.all += count.all;
    above.wanted += count.wanted;
  }
  return found;
}

std::vector<std::uint32_t> path_of(const CallTree& tree,
                                   TreeOrder order,
                                   const std::vector<analyzer::NamedFrame>& stack) {
  const analyzer::Outline<std::size_t> outline = analyzer::outline_of(stack);
  std::vector<analyzer::NamedFrame> frames;
  const auto append = [&](const std::vector<std::size_t>& places) {
    for (const std::size_t place : places) {
      frames.push_back(stack[place]);
    }
  };
  if (order == TreeOrder::kTopDown) {
    append(outline.called);
  }
  append(outline.asking);
  if (order == TreeOrder::kTopDown) {
    std::ranges::reverse(frames);
  }
  if (order == TreeOrder::kTopDown || order == TreeOrder::kBottomUp) {
    return followed(tree, 0, frames);
  }
  // A function may ask from several groups: take the one with most of the stack.
  std::vector<std::uint32_t> longest;
  for (const std::uint32_t group : tree.root().children) {
    std::vector<std::uint32_t> path = followed(tree, group, frames);
    if (!path.empty() && path.size() >= longest.size()) {
      path.insert(path.begin(), group);
      longest = std::move(path);
    }
  }
  return longest;
}

bool has_stack(const CallTree& bottom_up, const std::vector<analyzer::NamedFrame>& stack) {
  return path_of(bottom_up, TreeOrder::kBottomUp, stack).size() ==
         analyzer::outline_of(stack).asking.size();
}

bool matches(const TreeNode& node, const std::string& wanted) {
  return wanted.empty() || contains(node.full(), wanted) || contains(node.name(), wanted) ||
         contains(node.place(), wanted);
}

std::vector<bool> matching_nodes(const CallTree& tree, const std::string& wanted) {
  std::vector<bool> found(tree.nodes.size());
  // Children come after their parents.
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    if (found[i] || matches(tree.nodes[i], wanted)) {
      found[i] = true;
      found[tree.nodes[i].parent] = true;
    }
  }
  return found;
}

}  // namespace tidemark::gui
