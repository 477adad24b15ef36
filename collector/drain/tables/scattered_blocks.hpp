/// Blocks by address, for blocks that are far from each other.
#pragma once

#include "collector/drain/tables/live_block.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark {

/// Open addressing with linear probing and no tombstones: removing a block closes the gap. 24 bytes
/// per place, at most two thirds in use. Address 0 cannot be stored.
class ScatteredBlocks {
 public:
  /// Replaces a block stored under the same address.
  void insert(std::uint64_t address, const LiveBlock& block);
  /// Removes the block at `address`. @return false: there was none, and `taken` is as before.
  bool take(std::uint64_t address, LiveBlock& taken);
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  struct Place {
    std::uint64_t address = 0;
    LiveBlock block;
  };
  [[nodiscard]] std::size_t home(std::uint64_t address) const {
    return static_cast<std::size_t>((address * 0x9E3779B97F4A7C15U) >> shift_);
  }
  /// The place of `address`, or the empty one where it would go.
  [[nodiscard]] std::size_t find(std::uint64_t address) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = home(address);
    while (places_[at].address != 0 && places_[at].address != address)
      at = (at + 1) & mask;
    return at;
  }
  void grow();
  void close_gap(std::size_t gap);

  std::vector<Place> places_;
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

}  // namespace tidemark
