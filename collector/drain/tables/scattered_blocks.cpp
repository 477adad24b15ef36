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

std::optional<LiveBlock> ScatteredBlocks::insert(std::uint64_t address, LiveBlock block) {
  if (address == 0)
    return std::nullopt;
  if ((count_ + 1) * 3 > places_.size() * 2)
    grow();
  Place& place = places_[find(address)];
  if (place.address == address)
    return std::exchange(place.block, block);
  place = {address, block};
  ++count_;
  return std::nullopt;
}

std::optional<LiveBlock> ScatteredBlocks::take(std::uint64_t address) {
  if (address == 0 || count_ == 0)
    return std::nullopt;
  const std::size_t at = find(address);
  if (places_[at].address == 0)
    return std::nullopt;
  const LiveBlock block = places_[at].block;
  close_gap(at);
  --count_;
  return block;
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
