/// Which number a stack of the trace has, by its parent and its innermost frame.
#pragma once

#include "collector/drain/number_index.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark {

/// A tree whose nodes are the stacks; nothing is ever removed. The first children of a node hang on
/// it in a list, 12 bytes a stack; only those of wide nodes are in an index. A large program's new
/// stacks are whole subtrees, which a list that ends takes in without a look at cold memory: with
/// all two million stacks of a program that imports PyTorch in an index, each look-up waited 250 ns
/// for memory.
class StackNumbers {
 public:
  /// The number of (parent, frame), which is 1 for the first pair, 2 for the second that is new...
  /// @param parent a number that was given out, or 0.
  std::uint32_t find_or_add(std::uint32_t parent, std::uint32_t frame) {
    std::uint32_t Node::*link = &Node::first_child;
    std::uint32_t at = parent;
    for (int i = 0; i < kListed; ++i) {
      const std::uint32_t child = node(at).*link;
      if (child == kNone)
        return hang(at, link, frame);
      if (node(child).frame == frame)
        return child;
      at = child;
      link = &Node::next_sibling;
    }
    return find_or_add_indexed(parent, frame);
  }
  /// The number that the last new pair got.
  [[nodiscard]] std::uint32_t last() const { return last_; }

 private:
  static constexpr int kListed = 4;
  static constexpr std::uint32_t kNone = 0;
  struct Node {
    std::uint32_t frame = 0;
    std::uint32_t first_child = kNone;
    std::uint32_t next_sibling = kNone;
  };
  static constexpr std::uint32_t kChunk = 1U << 14;

  Node& node(std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  std::uint32_t add(std::uint32_t frame) {
    if (++last_ % kChunk == 0)
      chunks_.push_back(std::make_unique<Node[]>(kChunk));
    node(last_).frame = frame;
    return last_;
  }
  std::uint32_t hang(std::uint32_t at, std::uint32_t Node::*link, std::uint32_t frame) {
    const std::uint32_t number = add(frame);
    node(at).*link = number;
    return number;
  }
  std::uint32_t find_or_add_indexed(std::uint32_t parent, std::uint32_t frame) {
    std::uint32_t& number = wide_.find_or_add(parent, frame);
    if (number == NumberIndex::kNone)
      number = add(frame);
    return number;
  }
  static std::vector<std::unique_ptr<Node[]>> first_chunk() {
    std::vector<std::unique_ptr<Node[]>> chunks;
    chunks.push_back(std::make_unique<Node[]>(kChunk));
    return chunks;
  }

  /// By number; 0 stands for no stack. In chunks, as a growing array of millions would be copied,
  /// and take fresh pages for it, again and again.
  std::vector<std::unique_ptr<Node[]>> chunks_ = first_chunk();
  std::uint32_t last_ = 0;
  NumberIndex wide_;  ///< By parent and frame: children that are in no list.
};

}  // namespace tidemark
