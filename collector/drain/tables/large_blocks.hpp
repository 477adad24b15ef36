/// The large heap blocks of one process, and device memory mapped in it, found by any address
/// inside them.
#pragma once

#include "collector/trace/types/event.hpp"
#include "preload/wire/record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace tidemark {

/// Complements AddressTable, which knows only where blocks begin, since a copy may go to the middle
/// of one. Only blocks of at least kLargeTouch bytes are kept, the size of the smallest recorded
/// copy, so the many small blocks cost one comparison each.
class LargeBlocks {
 public:
  struct Block {
    std::uint64_t size = 0;
    trace::AllocationNumber allocation = 0;
    bool is_window = false;  ///< See `insert`.
    /// When it was last looked into (0: never), and how long to wait until the next time: see
    /// ValueBook.
    std::uint64_t looked_ns = 0;
    std::uint64_t pause_ns = 0;
  };

  static constexpr bool is_large(std::uint64_t size) { return size >= wire::kLargeTouch; }

  /// @param is_window device memory as mapped in the host: its pages do not show what the device
  /// uses.
  void insert(std::uint64_t address,
              std::uint64_t size,
              trace::AllocationNumber allocation,
              bool is_window = false);
  /// Does nothing if another allocation has the address now.
  void erase(std::uint64_t address, trace::AllocationNumber allocation);
  /// The same for a block that the host has released, at `at_ns` or later.
  void release(std::uint64_t address, trace::AllocationNumber allocation, std::uint64_t at_ns);
  /// From now on remembers releases of blocks with this `looked_ns`, and of no others.
  void watch_looked(std::uint64_t looked_ns) {
    watched_ns_ = looked_ns;
    released_.clear();
  }
  /// Whether a watched block is still live, or was released after `ns`.
  [[nodiscard]] bool was_there(std::uint64_t address,
                               trace::AllocationNumber allocation,
                               std::uint64_t ns) const;
  /// Ends the pause of a block.
  void look_soon(std::uint64_t address, trace::AllocationNumber allocation);
  struct Found {
    trace::AllocationNumber allocation = 0;
    std::uint64_t begin = 0;  ///< An address.
    std::uint64_t size = 0;
  };
  /// The block that holds `address`.
  [[nodiscard]] std::optional<Found> find(std::uint64_t address) const;
  /// Calls `visit(address, block)` for each, by address.
  template <typename Visit>
  void visit_all(Visit&& visit) const {
    for (const auto& [begin, block] : by_begin_)
      visit(begin, block);
  }
  /// The same for those that begin in [begin, end).
  template <typename Visit>
  void visit_in(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    for (auto at = by_begin_.lower_bound(begin); at != by_begin_.end() && at->first < end; ++at)
      visit(at->first, at->second);
  }
  template <typename Visit>
  void visit_all(Visit&& visit) {
    for (auto& [begin, block] : by_begin_)
      visit(begin, block);
  }

 private:
  std::map<std::uint64_t, Block> by_begin_;
  std::uint64_t watched_ns_ = 0;  ///< 0: none.
  /// When watched ones were released.
  std::unordered_map<trace::AllocationNumber, std::uint64_t> released_;
};

}  // namespace tidemark
