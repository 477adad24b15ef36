/// Stacks as one tree, in which those that begin alike share their beginning.
#pragma once

#include "analyzer/export/frame_names.hpp"
#include "analyzer/export/stack_values.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark::exports {

/// Callers further out are no part of a tree that is asked for by who asked: massif's own limit.
constexpr std::size_t kDeepestAsking = 30;

enum class Order {
  kOutermostFirst,  ///< The root's children are the entry points: a flame graph.
  kAskingFirst,     ///< The root's children are those who asked for memory, below them who called:
                 ///< massif's tree. The allocators and containers they asked through are left out.
};

/// Node 0 is the root and has no name. Nodes come after their parents.
/// Invariant: total = self + the totals of the children.
struct TreeNode {
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;  ///< 0: the root.
  std::uint32_t name = 0;   ///< Id in the FrameNames.
  trace::FrameId frame{0};  ///< One of the recorded frames that read so.
  bool has_frame = false;   ///< False for the root and for an unknown stack.
  StackValues self;         ///< Of the stacks that end here.
  StackValues total;
  std::vector<std::uint32_t> children;  ///< Most bytes first.
};

class StackTree {
 public:
  /// `names` stays borrowed; several trees may share them.
  StackTree(FrameNames& names, Order order);

  void add(const StackRow& row);
  /// Adds the totals up and puts the children in order. To be called once, after the last `add`.
  void finish();

  [[nodiscard]] const std::vector<TreeNode>& nodes() const { return nodes_; }
  /// Every node but the root, parents before their children, the heaviest child first.
  [[nodiscard]] std::vector<std::uint32_t> depth_first() const;

 private:
  struct Step {
    std::uint32_t name = 0;
    trace::FrameId frame{0};
  };
  std::vector<Step> steps_of(trace::StackId stack);
  std::uint32_t child(std::uint32_t parent, std::uint32_t name);

  FrameNames& names_;
  Order order_;
  std::vector<TreeNode> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // By parent and name.
};

/// The tree of those rows of a table that are in the lane.
StackTree tree_of_lane(const StackTable& table, trace::Lane lane, FrameNames& names);

}  // namespace tidemark::exports
