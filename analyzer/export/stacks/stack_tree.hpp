/// Stacks as one tree, in which common outer frames are shared.
#pragma once

#include "analyzer/export/stacks/frame_names.hpp"
#include "analyzer/export/stacks/stack_values.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::exports {

/// Node 0 is the root and has no name. Nodes come after their parents.
/// Invariant: total = self + the totals of the children.
struct TreeNode {
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;  ///< 0: the root.
  std::uint32_t name = 0;   ///< Id in the FrameNames.
  StackValues self;         ///< Values of the stacks that end here.
  StackValues total;
  std::vector<std::uint32_t> children;  ///< Most bytes first.
};

class StackTree {
 public:
  /// `names` stays borrowed; several trees may share them.
  explicit StackTree(FrameNames& names) : names_(names), nodes_(1) {}

  void add(const StackRow& row);
  /// Computes totals and sorts children. Call once, after the last `add`.
  void finish();
  /// Replaces all children of a node whose individual totals are less than this share of the root's
  /// by one node, `(smaller)`; totals are unchanged. Call after `finish`.
  /// @param share 0: nothing is folded; 0.01: a hundredth.
  void fold(double share);

  [[nodiscard]] const std::vector<TreeNode>& nodes() const { return nodes_; }
  /// Every node but the root, parents before their children, the heaviest child first.
  [[nodiscard]] std::vector<std::uint32_t> depth_first() const;

 private:
  /// Outermost first.
  std::vector<std::uint32_t> names_of(trace::StackId stack);
  std::uint32_t child(std::uint32_t parent, std::uint32_t name);
  void append_folded(std::uint32_t parent, const StackValues& values);

  FrameNames& names_;
  std::vector<TreeNode> nodes_;
  analyzer::ChildIndex children_;  // By name.
};

/// The tree of those rows of a table that are in the lane.
StackTree tree_of_lane(const StackTable& table, trace::Lane lane, FrameNames& names);

}  // namespace tidemark::exports
