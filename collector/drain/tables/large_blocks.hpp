/// The large heap blocks of one process, and device memory where the host sees it: found by any
/// address inside them.
#pragma once

#include "collector/trace/types/event.hpp"
#include "preload/wire/record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace tidemark {

/// Beside AddressTable, which knows only where blocks begin: a copy may go to the middle of one.
/// Only blocks of kLargeTouch bytes and more are kept, the smallest in which such a copy can lie,
/// so the many small ones pay a comparison.
class LargeBlocks {
 public:
  struct Block {
    std::uint64_t size = 0;
    trace::AllocationNumber allocation = 0;
    bool is_window = false;  ///< See `insert`.
    /// When it was looked into last, 0: never, and how long it is left alone then: see ValueBook.
    std::uint64_t looked_ns = 0;
    std::uint64_t pause_ns = 0;
  };

  static constexpr bool is_large(std::uint64_t size) { return size >= wire::kLargeTouch; }

  /// @param is_window a part of a device's memory, as it is mapped: its pages say nothing of what
  /// the device does with it.
  void insert(std::uint64_t address,
              std::uint64_t size,
              trace::AllocationNumber allocation,
              bool is_window = false);
  /// Nothing where another allocation has taken the address over.
  void erase(std::uint64_t address, trace::AllocationNumber allocation);
  /// The same of one that the host has given away, not before `at_ns`.
  void release(std::uint64_t address, trace::AllocationNumber allocation, std::uint64_t at_ns);
  /// Releases of those with that `looked_ns` are remembered, and of no others any more.
  void watch_looked(std::uint64_t looked_ns) {
    watched_ns_ = looked_ns;
    released_.clear();
  }
  /// Whether one that is watched is still there, or went after `ns`.
  [[nodiscard]] bool was_there(std::uint64_t address,
                               trace::AllocationNumber allocation,
                               std::uint64_t ns) const;
  /// Its pause is over.
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
  std::uint64_t watched_ns_ = 0;                                         ///< 0: none.
  std::unordered_map<trace::AllocationNumber, std::uint64_t> released_;  ///< Of these: when.
};

}  // namespace tidemark
