/// Gives every distinct stack one small number, for all threads of a process, without a lock.
#pragma once

#include "preload/wire/session.hpp"

#include <cstdint>

namespace tidemark::unwind {

/// A process's table in the session's memory. Trivial to copy; threads share the memory behind it.
class StackInterner {
 public:
  StackInterner() = default;
  explicit StackInterner(const wire::StackTable& table)
      : table_(table), header_(&table.header()), nodes_(table.nodes()) {}

  [[nodiscard]] const wire::StackTable& table() const { return table_; }

  /// The node for a call to `address` out of `parent`. While the index moves to its next level, two
  /// threads that add the same node at the same moment may get two ids for it; the collector merges
  /// them.
  /// @return kNoNode when the mapped part of the table is full.
  [[nodiscard]] std::uint32_t intern(std::uint32_t parent, std::uint64_t address) const {
    // Pairs with the release in `hang`: an id seen here has its node written.
    std::uint64_t links = nodes_[parent].links.load(std::memory_order_acquire);
    unsigned shift = wire::kFirstChildShift;
    std::uint32_t last = parent;
    for (unsigned i = 0; i < kListed; ++i) {
      const auto id = static_cast<std::uint32_t>(links >> shift) & wire::kNodeMask;
      if (id == wire::kNoNode)
        return hang(last, shift, parent, address);
      // Another thread has mapped a larger part of the table, and this id lies in it.
      if (id >= table_.max_nodes) [[unlikely]]
        return wire::kNoNode;
      links = nodes_[id].links.load(std::memory_order_acquire);
      // A thread still working while the table was emptied may have hung a child of another node
      // here.
      if (nodes_[id].address == address && wire::parent_of_links(links) == parent)
        return id;
      last = id;
      shift = wire::kNextSiblingShift;
    }
    return find_or_add(parent, address);
  }

 private:
  /// Children kept in a node's list before the index is used. New stacks of a large program are
  /// whole subtrees: below a new node everything is new, and its empty list shows that without
  /// touching the cold index.
  static constexpr unsigned kListed = 4;

  static std::uint32_t hash(std::uint32_t parent, std::uint64_t address) {
    // Fibonacci hashing over both; the high half of the product is well mixed.
    const std::uint64_t mixed =
        (address ^ (std::uint64_t{parent} << 40) ^ parent) * 0x9E3779B97F4A7C15U;
    return static_cast<std::uint32_t>(mixed >> 32);
  }

  [[nodiscard]] std::uint32_t hang(std::uint32_t last,
                                   unsigned shift,
                                   std::uint32_t parent,
                                   std::uint64_t address) const;
  [[nodiscard]] std::uint32_t find_or_add(std::uint32_t parent, std::uint64_t address) const;
  [[nodiscard]] std::uint32_t find(std::uint32_t level,
                                   std::uint32_t parent,
                                   std::uint64_t address) const;
  [[nodiscard]] std::uint32_t add(std::uint32_t parent, std::uint64_t address) const;
  [[nodiscard]] std::uint32_t make(std::uint32_t parent, std::uint64_t address) const;

  [[nodiscard]] std::uint32_t index_level() const {
    const std::uint32_t level = header_->index_level.load(std::memory_order_relaxed);
    return level < table_.index_levels ? level : table_.index_levels - 1;
  }

  wire::StackTable table_;
  wire::StackTableHeader* header_ = nullptr;
  wire::StackNode* nodes_ = nullptr;
};

}  // namespace tidemark::unwind
