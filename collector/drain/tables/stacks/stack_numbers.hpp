/// Numbers the stacks of the trace by parent and innermost frame.
#pragma once

#include "collector/drain/tables/stacks/chunked_table.hpp"
#include "collector/drain/tables/stacks/number_index.hpp"

#include <cstdint>

namespace tidemark {

/// A tree whose nodes are the stacks; nothing is ever removed. The first children of a node form a
/// linked list, 12 bytes per stack; only further children are in an index. New stacks of a large
/// program are whole subtrees, which are appended to empty lists without touching cold memory: with
/// all two million stacks of a program that imports PyTorch in an index, each look-up waited 250 ns
/// for memory.
class StackNumbers {
 public:
  /// The number of (parent, frame), which is 1 for the first pair, 2 for the second that is new...
  /// @param parent a number returned earlier, or 0.
  std::uint32_t find_or_add(std::uint32_t parent, std::uint32_t frame) {
    std::uint32_t Node::*link = &Node::first_child;
    std::uint32_t at = parent;
    for (int i = 0; i < kListed; ++i) {
      const std::uint32_t child = nodes_[at].*link;
      if (child == kNone)
        return hang(at, link, frame);
      if (nodes_[child].frame == frame)
        return child;
      at = child;
      link = &Node::next_sibling;
    }
    return find_or_add_indexed(parent, frame);
  }
  /// The number given to the last new pair.
  [[nodiscard]] std::uint32_t last() const { return last_; }

 private:
  static constexpr int kListed = 4;
  static constexpr std::uint32_t kNone = 0;
  struct Node {
    std::uint32_t frame = 0;
    std::uint32_t first_child = kNone;
    std::uint32_t next_sibling = kNone;
  };

  std::uint32_t add(std::uint32_t frame) {
    nodes_[++last_].frame = frame;
    return last_;
  }
  std::uint32_t hang(std::uint32_t at, std::uint32_t Node::*link, std::uint32_t frame) {
    const std::uint32_t number = add(frame);
    nodes_[at].*link = number;
    return number;
  }
  std::uint32_t find_or_add_indexed(std::uint32_t parent, std::uint32_t frame) {
    std::uint32_t& number = wide_.find_or_add(parent, frame);
    if (number == NumberIndex::kNone)
      number = add(frame);
    return number;
  }

  ChunkedTable<Node, 1U << 14> nodes_;  ///< By number; 0 stands for no stack.
  std::uint32_t last_ = 0;
  NumberIndex wide_;  ///< Children in no list, by parent and frame.
};

}  // namespace tidemark
