/// Which number a stack of the trace has, by its parent and its innermost frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark {

/// Open addressing with linear probing, at most half full; nothing is ever removed. 16 bytes a
/// place: a compiler makes a million stacks, and looking them up in nodes of a std::unordered_map
/// took half of all the collector's time.
class StackNumbers {
 public:
  /// The number of (parent, frame). A pair that is new here has `next` from now on.
  std::uint32_t find_or_add(std::uint32_t parent, std::uint32_t frame, std::uint32_t next) {
    if ((count_ + 1) * 2 > places_.size())
      grow();
    Place& place = places_[find(key_of(parent, frame))];
    if (place.number == kEmpty) {
      place = {key_of(parent, frame), next};
      ++count_;
    }
    return place.number;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t number = kEmpty;
  };

  static std::uint64_t key_of(std::uint32_t parent, std::uint32_t frame) {
    return (std::uint64_t{parent} << 32) | frame;
  }
  [[nodiscard]] std::size_t find(std::uint64_t key) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
    while (places_[at].number != kEmpty && places_[at].key != key)
      at = (at + 1) & mask;
    return at;
  }
  void grow() {
    constexpr std::size_t kFirst = 1024;
    const std::vector<Place> old = std::exchange(places_, {});
    places_.resize(old.empty() ? kFirst : old.size() * 2);
    shift_ = 64 - static_cast<unsigned>(__builtin_ctzll(places_.size()));
    for (const Place& place : old) {
      if (place.number != kEmpty)
        places_[find(place.key)] = place;
    }
  }

  std::vector<Place> places_;
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

}  // namespace tidemark
