/// The interned stacks of one process: a tree of call sites in shared memory.
///
/// A stack is named by its innermost node; walking `parent` leads outwards to a root. A node's
/// address and parent are immutable once its id is published, and a parent's id is always smaller
/// than its child's, so the collector can walk any node that a committed record names without a
/// lock, and can tell a broken chain from a good one.
///
/// Only the host looks nodes up. A node's first children are in a linked list; the others are in a
/// hash index: open addressing in levels of growing size, so that a small program touches a few
/// pages and a large one never rehashes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::wire {

constexpr std::uint32_t kMaxStackNodes = 1U << 21;
constexpr std::uint32_t kNoNode = 0;
/// Roots: nodes whose address is an epoch of the module map instead of code. Their parent is
/// kNoNode.
constexpr std::uint64_t kRootMark = std::uint64_t{0xE0} << 56;
/// Parent of the outermost kept frame when the stack was deeper than the limit.
constexpr std::uint64_t kTruncatedMark = std::uint64_t{0xE1} << 56;
/// A frame of Python code: a code object (RecordKind::kCode), and the frame's place in its
/// bytecode. In the chain, the native frame just inside a Python frame is the interpreter's
/// evaluator, which runs it.
///
///     0xE2 : 8 | number of the code object : 28 | code unit (two bytes) : 28
constexpr std::uint64_t kPythonMark = std::uint64_t{0xE2} << 56;
constexpr unsigned kCodeUnitBits = 28;
constexpr std::uint32_t kMaxCodeNumber = (1U << 28) - 1;
/// Stands for a code object that could not be read, or that got no number because all are used up.
constexpr std::uint32_t kUnknownCode = 0;
constexpr std::uint64_t name_python_frame(std::uint32_t number, std::uint64_t unit) {
  constexpr std::uint64_t kUnitMask = (std::uint64_t{1} << kCodeUnitBits) - 1;
  return kPythonMark | std::uint64_t{number} << kCodeUnitBits | (unit & kUnitMask);
}
constexpr bool is_python_frame(std::uint64_t address) {
  return address >> 56 == kPythonMark >> 56;
}
constexpr std::uint32_t code_of_python_frame(std::uint64_t address) {
  return static_cast<std::uint32_t>(address >> kCodeUnitBits) & kMaxCodeNumber;
}
constexpr std::uint32_t unit_of_python_frame(std::uint64_t address) {
  return static_cast<std::uint32_t>(address) & ((1U << kCodeUnitBits) - 1);
}

/// A full table is emptied and refilled; a record's `stack` names the generation of its node, so
/// that a late record is never resolved to another stack.
///
///     stack = generation / 2 : 11 bits | node : 21 bits
constexpr unsigned kNodeBits = 21;
static_assert(kMaxStackNodes == 1U << kNodeBits, "a node fits its bits");
constexpr std::uint32_t kNodeMask = kMaxStackNodes - 1;
constexpr std::uint32_t name_stack(std::uint32_t generation, std::uint32_t node) {
  return node == kNoNode ? kNoNode : (generation / 2) << kNodeBits | node;
}
constexpr std::uint32_t node_of_stack(std::uint32_t stack) {
  return stack & kNodeMask;
}
/// `stack` of a heap allocation that sampling left without one: no generation has a node 0.
constexpr std::uint32_t kUnsampledStack = 1U << kNodeBits;
constexpr std::uint32_t tag_of_stack(std::uint32_t stack) {
  return stack >> kNodeBits;
}
constexpr std::uint32_t tag_of_generation(std::uint32_t generation) {
  return tag_of_stack(name_stack(generation, 1));
}

constexpr std::uint32_t parent_of_links(std::uint64_t links) {
  return static_cast<std::uint32_t>(links) & kNodeMask;
}

struct StackNode {
  std::uint64_t address;  ///< Return address, or a mark in the top byte (user addresses have none).
  /// next sibling : 21 bits | first child : 21 bits | parent : 21 bits. The parent never changes;
  /// the other two go from kNoNode to a node once, and are the host's own.
  std::atomic<std::uint64_t> links;

  [[nodiscard]] std::uint32_t parent() const {
    return parent_of_links(links.load(std::memory_order_relaxed));
  }
};
static_assert(sizeof(StackNode) == 16, "shared-memory layout is part of the protocol");
constexpr unsigned kFirstChildShift = kNodeBits;
constexpr unsigned kNextSiblingShift = 2 * kNodeBits;

/// Each level is four times the one before; a level is left for the next when it is half full.
constexpr std::uint32_t kIndexLevels = 4;
constexpr std::uint32_t kFirstIndexSlots = 1U << 16;
constexpr std::uint32_t index_slots(std::uint32_t level) {
  return kFirstIndexSlots << (2 * level);
}
constexpr std::uint64_t index_offset_slots(std::uint32_t level) {
  std::uint64_t offset = 0;
  for (std::uint32_t below = 0; below < level; ++below)
    offset += index_slots(below);
  return offset;
}

/// Head of a stack table. Written by the host; the collector reads `node_count` as a bound only.
struct StackTableHeader {
  std::atomic<std::uint32_t>
      node_count;  ///< Ids handed out, including kNoNode once the table is in use.
  std::atomic<std::uint32_t> index_level;
  std::atomic<std::uint32_t> level_used[kIndexLevels];
};
static_assert(sizeof(StackTableHeader) <= 4096, "fits its page");

/// A table in the session's file. Hosts map the first part, and the whole once they need it; most
/// never do.
///
///     [ header | index levels 0, 1 | nodes ............................ | index levels 2, 3 ]
///     |---------- small window ----------|
///     |-------------------------- large window -------------------------------------------|
constexpr std::uint64_t kStackHeaderBytes = 4096;
constexpr std::uint32_t kSmallIndexLevels = 2;
constexpr std::uint32_t kSmallStackNodes = 1U << 17;
static_assert(index_slots(kSmallIndexLevels - 1) / 2 >= kSmallStackNodes, "the index never fills");
static_assert(index_slots(kIndexLevels - 1) / 2 >= kMaxStackNodes, "the index never fills");

constexpr std::uint64_t kStackNodesOffset =
    kStackHeaderBytes + index_offset_slots(kSmallIndexLevels) * sizeof(std::uint32_t);
constexpr std::uint64_t kStackNodesBytes = std::uint64_t{kMaxStackNodes} * sizeof(StackNode);
constexpr std::uint64_t kSmallStackTableBytes =
    kStackNodesOffset + std::uint64_t{kSmallStackNodes} * sizeof(StackNode);
constexpr std::uint64_t kStackTableBytes =
    kStackHeaderBytes + index_offset_slots(kIndexLevels) * sizeof(std::uint32_t) + kStackNodesBytes;
static_assert(kSmallStackTableBytes % 4096 == 0 && kStackTableBytes % 4096 == 0,
              "tables are page-aligned in the session");

/// Offset of a level from the table's begin.
constexpr std::uint64_t index_offset(std::uint32_t level) {
  return kStackHeaderBytes + index_offset_slots(level) * sizeof(std::uint32_t) +
         (level < kSmallIndexLevels ? 0 : kStackNodesBytes);
}

/// Where a table is mapped, and how much of it. Trivial to copy.
struct StackTable {
  std::byte* base = nullptr;  ///< nullptr: it is not mapped.
  std::uint32_t max_nodes = 0;
  std::uint32_t index_levels = 0;

  static StackTable small(std::byte* at) { return {at, kSmallStackNodes, kSmallIndexLevels}; }
  static StackTable large(std::byte* at) { return {at, kMaxStackNodes, kIndexLevels}; }

  [[nodiscard]] StackTableHeader& header() const {
    return *reinterpret_cast<StackTableHeader*>(base);
  }
  [[nodiscard]] StackNode* nodes() const {
    return reinterpret_cast<StackNode*>(base + kStackNodesOffset);
  }
  [[nodiscard]] std::atomic<std::uint32_t>* index(std::uint32_t level) const {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(base + index_offset(level));
  }
};

}  // namespace tidemark::wire
