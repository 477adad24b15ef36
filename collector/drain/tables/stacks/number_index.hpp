/// A hash map from keys to numbers, for millions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark {

/// Open addressing with linear probing, at most half full: a look-up is one line of memory, where a
/// std::unordered_map of this size waits for two or three. Nothing is ever removed.
class NumberIndex {
 public:
  static constexpr std::uint32_t kNone = 0;

  /// The number of (first, second); kNone for a new pair, and the caller must set it at once. The
  /// reference is valid until the next call.
  std::uint32_t& find_or_add(std::uint64_t first, std::uint32_t second) {
    if ((count_ + 1) * 2 > places_.size())
      grow();
    Place& place = places_[find(first, second)];
    if (place.number == kNone) {
      place = {first, second, kNone};
      ++count_;
    }
    return place.number;
  }

 private:
  struct Place {
    std::uint64_t first = 0;
    std::uint32_t second = 0;
    std::uint32_t number = kNone;
  };

  [[nodiscard]] std::size_t find(std::uint64_t first, std::uint32_t second) const {
    const std::size_t mask = places_.size() - 1;
    const std::uint64_t mixed = first ^ (std::uint64_t{second} << 40) ^ second;
    auto at = static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15U) >> shift_);
    while (places_[at].number != kNone &&
           (places_[at].first != first || places_[at].second != second))
      at = (at + 1) & mask;
    return at;
  }
  void grow() {
    constexpr std::size_t kFirst = 1024;
    const std::vector<Place> old = std::exchange(places_, {});
    places_.resize(old.empty() ? kFirst : old.size() * 2);
    shift_ = 64 - static_cast<unsigned>(__builtin_ctzll(places_.size()));
    for (const Place& place : old) {
      if (place.number != kNone)
        places_[find(place.first, place.second)] = place;
    }
  }

  std::vector<Place> places_;
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

}  // namespace tidemark
