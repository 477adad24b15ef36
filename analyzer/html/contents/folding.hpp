/// A live set as a page carries it: what is too small to be seen is folded, and no byte is lost.
#pragma once

#include "analyzer/html/contents/live_series.hpp"
#include "analyzer/html/contents/stack_forest.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tidemark::html {

/// What one node of the forest holds in one lane.
struct FoldedStack {
  std::uint32_t node = 0;
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  /// 0: this very stack. Else so many stacks that went through this node, none of them listed.
  std::uint32_t folded = 0;
};

/// What each node of a forest holds, from instant to instant, in the lanes of the footprint.
class HeldStacks {
 public:
  /// `planter` must be of the changes' trace, and plant in `forest`. Both stay borrowed.
  HeldStacks(StackPlanter& planter, const StackForest& forest)
      : planter_(planter), forest_(forest) {}

  void apply(const LiveChange& change);

  /// A branch of the forest that holds less than `least_bytes` is folded into the node that it
  /// grows from. Invariant: the bytes add up to `bytes()`. Most bytes first.
  [[nodiscard]] std::vector<FoldedStack> folded(std::uint64_t least_bytes) const;

  /// Of all stacks together.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Held {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };

  [[nodiscard]] std::vector<std::uint64_t> branch_bytes() const;

  StackPlanter& planter_;
  const StackForest& forest_;
  std::vector<std::array<Held, trace::kLaneCount>> held_;  // By node.
  std::uint64_t bytes_ = 0;
};

}  // namespace tidemark::html
