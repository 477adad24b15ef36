#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>

namespace tidemark::gui {
namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const NamedStacks& stacks) : stacks_(stacks) {
    tree_.nodes.emplace_back().name = "all";
  }

  void add(const WeightedStack& stack, TreeOrder order) {
    std::uint32_t node = 0;
    tree_.nodes[0].weight.add(stack.weight);
    std::uint32_t depth = 0;
    const auto enter = [&](std::uint32_t child) {
      node = child;
      tree_.nodes[node].weight.add(stack.weight);
      tree_.depth = std::max(tree_.depth, ++depth);
    };
    if (order == TreeOrder::kByModule || order == TreeOrder::kByFile) {
      enter(group(stack, order));
    }
    if (stack.frames.empty()) {
      enter(nameless(node));
    } else if (order == TreeOrder::kTopDown) {
      for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
        enter(function(node, *frame));
      }
    } else {
      for (const std::uint32_t frame : stack.frames) {
        enter(function(node, frame));
      }
    }
    tree_.ends.push_back(node);
  }

  CallTree take() {
    sort_children(tree_);
    return std::move(tree_);
  }

 private:
  static constexpr std::uint32_t kNameless = 0xffffffff;

  std::uint32_t function(std::uint32_t parent, std::uint32_t frame) {
    const analyzer::NamedFrame& named = stacks_.frames[frame].name;
    return child(parent, frame, [&](TreeNode& node) {
      node.name = analyzer::short_name(named);
      node.full = named.function;
      node.place = place_text(named);
      node.file = named.file;
      node.line = named.line;
    });
  }

  std::uint32_t nameless(std::uint32_t parent) {
    return child(parent, kNameless, [](TreeNode& node) { node.name = "(no stack)"; });
  }

  std::uint32_t group(const WeightedStack& stack, TreeOrder order) {
    std::string name = "(unknown)";
    std::string full;
    if (!stack.frames.empty()) {
      const analyzer::NamedFrame& asking = stacks_.frames[stack.frames.front()].name;
      full = order == TreeOrder::kByFile && !asking.file.empty() ? asking.file : asking.module;
      name = full.empty() ? name : base_name(full);
    }
    const auto next = static_cast<std::uint32_t>(groups_.size());
    const auto [entry, is_new] = groups_.try_emplace(full, next);
    return child(0, kNameless - 1 - entry->second, [&](TreeNode& node) {
      node.name = name;
      node.full = full;
    });
  }

  template <typename Fill>
  std::uint32_t child(std::uint32_t parent, std::uint32_t key, Fill fill) {
    const auto [child, is_new] = children_.of(parent, key);
    if (is_new) {
      TreeNode& node = tree_.nodes.emplace_back();
      node.parent = parent;
      fill(node);
      tree_.nodes[parent].children.push_back(child);
    }
    return child;
  }

  const NamedStacks& stacks_;
  CallTree tree_;
  analyzer::ChildIndex children_;  // By a frame's number, or a group's.
  std::unordered_map<std::string, std::uint32_t> groups_;
};

/// The nodes below `node` that `frames` pass through, one a frame.
std::vector<std::uint32_t> followed(const CallTree& tree,
                                    std::uint32_t node,
                                    const std::vector<analyzer::NamedFrame>& frames) {
  std::vector<std::uint32_t> path;
  for (const analyzer::NamedFrame& frame : frames) {
    const auto& children = tree.nodes[node].children;
    const auto next = std::ranges::find_if(children, [&](std::uint32_t child) {
      return tree.nodes[child].full == frame.function &&
             tree.nodes[child].place == place_text(frame);
    });
    if (next == children.end()) {
      break;
    }
    node = *next;
    path.push_back(node);
  }
  return path;
}

bool contains(const std::string& text, const std::string& wanted) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

}  // namespace

std::string place_text(const analyzer::NamedFrame& frame) {
  return frame.file.empty() ? base_name(frame.module)
                            : fmt::format("{}:{}", base_name(frame.file), frame.line);
}

std::string last_parts(const std::string& name) {
  const auto last = name.rfind("::");
  if (last == std::string::npos || last == 0) {
    return name;
  }
  const auto before = name.rfind("::", last - 1);
  return before == std::string::npos ? name : name.substr(before + 2);
}

void sort_children(CallTree& tree) {
  for (TreeNode& node : tree.nodes) {
    std::ranges::sort(node.children, [&tree](std::uint32_t a, std::uint32_t b) {
      const TreeNode& left = tree.nodes[a];
      const TreeNode& right = tree.nodes[b];
      return left.weight.bytes != right.weight.bytes ? left.weight.bytes > right.weight.bytes
                                                     : left.name < right.name;
    });
  }
}

CallTree build_tree(const NamedStacks& stacks, TreeOrder order) {
  TreeBuilder builder(stacks);
  for (const WeightedStack& stack : stacks.stacks) {
    builder.add(stack, order);
  }
  return builder.take();
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
  for (std::size_t i = 0; i < std::min(tree.ends.size(), stacks.stacks.size()); ++i) {
    if (is_below[tree.ends[i]]) {
      found.push_back(stacks.stacks[i].stack);
    }
  }
  return found;
}

std::vector<std::uint32_t> path_of(const CallTree& tree,
                                   TreeOrder order,
                                   const std::vector<analyzer::NamedFrame>& stack) {
  const auto [begin, end] = frames_that_matter(stack);
  std::vector<analyzer::NamedFrame> frames(stack.begin() + static_cast<std::ptrdiff_t>(begin),
                                           stack.begin() + static_cast<std::ptrdiff_t>(end));
  if (order == TreeOrder::kTopDown) {
    std::ranges::reverse(frames);
  }
  if (order == TreeOrder::kTopDown || order == TreeOrder::kBottomUp) {
    return followed(tree, 0, frames);
  }
  // The same function may ask from several groups: the one with most of the stack.
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
  const auto [begin, end] = frames_that_matter(stack);
  return path_of(bottom_up, TreeOrder::kBottomUp, stack).size() == end - begin;
}

bool matches(const TreeNode& node, const std::string& wanted) {
  return wanted.empty() || contains(node.full, wanted) || contains(node.name, wanted) ||
         contains(node.place, wanted);
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

std::string tree_text(const CallTree& tree, std::size_t most_lines) {
  std::string text = "bytes\tblocks\tfunction\tplace\n";
  std::vector<std::pair<std::uint32_t, std::size_t>> open;  // Node and its depth, last one next.
  const auto push_children = [&](const TreeNode& node, std::size_t depth) {
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      open.emplace_back(*child, depth);
    }
  };
  push_children(tree.root(), 0);
  for (std::size_t lines = 0; !open.empty() && lines < most_lines; ++lines) {
    const auto [index, depth] = open.back();
    open.pop_back();
    const TreeNode& node = tree.nodes[index];
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{:{}}{}\t{}\n", node.weight.bytes,
                   node.weight.blocks, "", 2 * depth, node.name, node.place);
    push_children(node, depth + 1);
  }
  return text;
}

}  // namespace tidemark::gui
