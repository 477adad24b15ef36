#include "preload/unwind/stack_interner.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {

std::uint32_t StackInterner::find(std::uint32_t level,
                                  std::uint32_t parent,
                                  std::uint64_t address) const {
  const std::uint32_t mask = wire::index_slots(level) - 1;
  const std::atomic<std::uint32_t>* slots = table_.index(level);
  for (std::uint32_t at = hash(parent, address) & mask;; at = (at + 1) & mask) {
    // Pairs with the release in `add`: an id seen here has its node written.
    const std::uint32_t id = slots[at].load(std::memory_order_acquire);
    if (id == wire::kNoNode)
      return wire::kNoNode;
    if (id < table_.max_nodes && nodes_[id].parent() == parent && nodes_[id].address == address)
      return id;
  }
}

std::uint32_t StackInterner::find_or_add(std::uint32_t parent, std::uint64_t address) const {
  // Newest level first: that is where a growing program's current stacks are.
  for (std::uint32_t level = index_level() + 1; level-- > 0;) {
    const std::uint32_t id = find(level, parent, address);
    if (id != wire::kNoNode)
      return id;
  }
  return add(parent, address);
}

/// A new node, which nobody knows yet.
std::uint32_t StackInterner::make(std::uint32_t parent, std::uint64_t address) const {
  // Id 0 is kNoNode, so the first number handed out is 1.
  const std::uint32_t id = header_->node_count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (id >= table_.max_nodes) {
    // The count stays too high: decrementing it could hit the count of a table emptied meanwhile.
    return wire::kNoNode;
  }
  nodes_[id].address = address;
  nodes_[id].links.store(parent, std::memory_order_relaxed);
  return id;
}

/// Adds a child at the end of its parent's list: into the empty link of `last`.
std::uint32_t StackInterner::hang(std::uint32_t last,
                                  unsigned shift,
                                  std::uint32_t parent,
                                  std::uint64_t address) const {
  const std::uint32_t id = make(parent, address);
  if (id == wire::kNoNode)
    return id;
  std::atomic<std::uint64_t>& links = nodes_[last].links;
  std::uint64_t seen = links.load(std::memory_order_relaxed);
  while ((seen >> shift & wire::kNodeMask) == wire::kNoNode) {
    if (links.compare_exchange_weak(seen, seen | std::uint64_t{id} << shift,
                                    std::memory_order_release, std::memory_order_relaxed))
      return id;
  }
  // Another thread was first. Our node stays unused, and the search continues after the other's.
  return intern(parent, address);
}

std::uint32_t StackInterner::add(std::uint32_t parent, std::uint64_t address) const {
  const std::uint32_t id = make(parent, address);
  if (id == wire::kNoNode)
    return id;

  const std::uint32_t level = index_level();
  const std::uint32_t size = wire::index_slots(level);
  if (header_->level_used[level].fetch_add(1, std::memory_order_relaxed) + 1 >= size / 2 &&
      level + 1 < table_.index_levels)
    header_->index_level.store(level + 1, std::memory_order_relaxed);

  // Each index slot holds one node and the last level is twice as large as the node array: the
  // search for an empty slot always ends.
  std::atomic<std::uint32_t>* slots = table_.index(level);
  for (std::uint32_t at = hash(parent, address) & (size - 1);; at = (at + 1) & (size - 1)) {
    std::uint32_t seen = wire::kNoNode;
    if (slots[at].compare_exchange_strong(seen, id, std::memory_order_release,
                                          std::memory_order_acquire))
      return id;
    // Another thread was first with the same node: its id stands, ours stays unused.
    if (seen < table_.max_nodes && nodes_[seen].parent() == parent &&
        nodes_[seen].address == address)
      return seen;
  }
}

}  // namespace tidemark::unwind
