/// The large heap blocks of one process, found by any address inside them.
#pragma once

#include "preload/wire/record.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace tidemark {

/// Beside AddressTable, which knows only where blocks begin: a copy may go to the middle of one.
/// Only blocks of kLargeTouch bytes and more are kept, the smallest in which such a copy can lie,
/// so the many small ones pay a comparison.
class LargeBlocks {
 public:
  static constexpr bool is_large(std::uint64_t size) { return size >= wire::kLargeTouch; }

  void insert(std::uint64_t address, std::uint64_t size, std::uint64_t allocation);
  void erase(std::uint64_t address) { by_begin_.erase(address); }
  /// The number of the allocation that holds `address`.
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t address) const;

 private:
  struct Block {
    std::uint64_t size = 0;
    std::uint64_t allocation = 0;
  };
  std::map<std::uint64_t, Block> by_begin_;
};

}  // namespace tidemark
