#include "collector/drain/tables/scattered_blocks.hpp"

#include <utility>

namespace tidemark {

void ScatteredBlocks::grow() {
  constexpr std::size_t kFirst = 1024;
  std::vector<Place> old = std::exchange(places_, {});
  places_.resize(old.empty() ? kFirst : old.size() * 2);
  shift_ = 64 - static_cast<unsigned>(__builtin_ctzll(places_.size()));
  for (const Place& place : old) {
    if (place.address != 0)
      places_[find(place.address)] = place;
  }
}

void ScatteredBlocks::insert(std::uint64_t address, const LiveBlock& block) {
  if ((count_ + 1) * 3 > places_.size() * 2)
    grow();
  Place& place = places_[find(address)];
  count_ += place.address == 0 ? 1 : 0;
  place = {address, block};
}

bool ScatteredBlocks::take(std::uint64_t address, LiveBlock& taken) {
  if (address == 0 || count_ == 0)
    return false;
  const std::size_t at = find(address);
  if (places_[at].address == 0)
    return false;
  taken = places_[at].block;
  close_gap(at);
  --count_;
  return true;
}

void ScatteredBlocks::close_gap(std::size_t gap) {
  const std::size_t mask = places_.size() - 1;
  for (std::size_t at = (gap + 1) & mask; places_[at].address != 0; at = (at + 1) & mask) {
    // A place may move into the gap unless its home lies between the gap and itself.
    if (((at - home(places_[at].address)) & mask) < ((at - gap) & mask))
      continue;
    places_[gap] = places_[at];
    gap = at;
  }
  places_[gap] = {};
}

}  // namespace tidemark
