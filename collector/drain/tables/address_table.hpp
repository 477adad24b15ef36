/// The live heap blocks of one process, by address.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark {

struct LiveBlock {
  std::uint64_t allocation = 0;  ///< Its number in the trace; kNoAllocation: in no lane.
  std::uint64_t size = 0;
};

/// Open addressing with linear probing and no tombstones: a block that goes closes the gap it
/// leaves. 24 bytes a place, at most two thirds of them in use. Address 0 cannot be stored.
class AddressTable {
 public:
  /// @return what was there under the same address before.
  std::optional<LiveBlock> insert(std::uint64_t address, LiveBlock block);
  /// Removes and returns the block at `address`.
  std::optional<LiveBlock> take(std::uint64_t address);
  [[nodiscard]] std::size_t size() const { return count_; }
  /// `address` will be asked for soon. Worth a word in a table that no cache holds.
  ///
  /// Inlined early: g++ takes a function that does nothing but prefetch for one without effects,
  /// and leaves out the calls of it.
  [[gnu::always_inline]] void expect(std::uint64_t address) const {
    constexpr std::size_t kCached = std::size_t{1} << 15;
    if (places_.size() > kCached)
      __builtin_prefetch(&places_[home(address)]);
  }

 private:
  struct Place {
    std::uint64_t address = 0;
    LiveBlock block;
  };
  [[nodiscard]] std::size_t home(std::uint64_t address) const {
    // Blocks are 16-aligned: the low bits say nothing.
    return static_cast<std::size_t>(((address >> 4) * 0x9E3779B97F4A7C15U) >> shift_);
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
