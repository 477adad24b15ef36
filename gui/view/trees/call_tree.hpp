/// Stacks merged into a tree: from the callers down, from the asking functions up, by module or by
/// file.
#pragma once

#include "analyzer/stacks/stack_text.hpp"
#include "gui/view/trees/named_stacks.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace tidemark::gui {

enum class TreeOrder : std::uint8_t {
  kTopDown,   ///< The outermost functions first, what they call below. Goes on below the line of
              ///< Python that asked for the memory, to what it called.
  kBottomUp,  ///< The functions that asked for the memory first, their callers below.
  kByModule,  ///< The module of the asking function first, then as kBottomUp.
  kByFile,    ///< The same with its source file.
};
constexpr std::size_t kTreeOrders = 4;
/// Some of them.
using TreeOrders = std::bitset<kTreeOrders>;

/// The name of a function, a module or a file, shared by all of its nodes.
struct NodeLabel {
  std::string name;        ///< The function without arguments; or a module's or a file's base name.
  std::string full{};      ///< As the trace has it.
  std::string place{};     ///< `loader.cpp:40`; the module where that is unknown; may be empty.
  std::string file{};      ///< The full path of its source; may be empty.
  std::uint32_t line = 0;  ///< In it.
  std::string alone{};     ///< See analyzer::lone_name; empty: the name.
};

struct TreeNode {
  const NodeLabel* label = nullptr;  ///< One of the tree's.
  Weight weight;                     ///< The sum over all stacks through this node.
  std::uint32_t parent = 0;
  std::span<const std::uint32_t> children{};  ///< Most bytes first; ties by name.

  [[nodiscard]] const std::string& name() const { return label->name; }
  /// The name to use if the place is not shown beside it.
  [[nodiscard]] const std::string& alone() const {
    return label->alone.empty() ? label->name : label->alone;
  }
  [[nodiscard]] const std::string& full() const { return label->full; }
  [[nodiscard]] const std::string& place() const { return label->place; }
};

/// Invariant: a node's weight is the sum of its children's and of the stacks that end there.
///
/// Movable but not copyable: its nodes point into it.
struct CallTree {
  CallTree() = default;
  CallTree(const CallTree&) = delete;
  CallTree& operator=(const CallTree&) = delete;
  CallTree(CallTree&&) = default;
  CallTree& operator=(CallTree&&) = default;
  ~CallTree() = default;

  std::vector<TreeNode> nodes;  ///< nodes[0] is the root of all stacks. Parents come first.
  std::uint32_t depth = 0;      ///< Longest path below the root.
  /// The last node of each stack that it was built from: of each `called` of each row, in order.
  std::vector<std::uint32_t> ends;
  std::deque<NodeLabel> labels;
  std::vector<std::uint32_t> all_children;  ///< Grouped by parent: see link_children.

  [[nodiscard]] const TreeNode& root() const { return nodes.front(); }
};

/// See analyzer::frame_place.
inline std::string place_text(const analyzer::NamedFrame& frame) {
  return analyzer::frame_place(frame);
}

using analyzer::last_parts;

CallTree build_tree(const NamedStacks& stacks, TreeOrder order);

/// Sets the children of each node from the parents of the nodes.
void link_children(CallTree& tree);

/// The nodes from the root's child down to `node`, itself included.
std::vector<std::uint32_t> path_to(const CallTree& tree, std::uint32_t node);

/// The stacks that pass through `node`. `stacks`: what the tree was built from.
std::vector<trace::StackId> stacks_through(const CallTree& tree,
                                           const NamedStacks& stacks,
                                           std::uint32_t node);

/// The nodes through which all of the `wanted` stacks pass and no other. `wanted`: sorted.
std::vector<std::uint32_t> nodes_of(const CallTree& tree,
                                    const NamedStacks& stacks,
                                    const std::vector<std::uint32_t>& wanted);

/// The nodes that a stack passes through, from the root's child on, as far as they are in the tree.
/// `stack`: all of its frames, innermost first.
std::vector<std::uint32_t> path_of(const CallTree& tree,
                                   TreeOrder order,
                                   const std::vector<analyzer::NamedFrame>& stack);

/// True if the tree has the whole path of this stack, from its asking function outwards.
/// `stack`: innermost first.
bool has_stack(const CallTree& bottom_up, const std::vector<analyzer::NamedFrame>& stack);

/// True if the name or the place contains `wanted`, ignoring case. An empty `wanted` matches all.
bool matches(const TreeNode& node, const std::string& wanted);

/// By node: whether it or any node below it matches.
std::vector<bool> matching_nodes(const CallTree& tree, const std::string& wanted);

}  // namespace tidemark::gui
