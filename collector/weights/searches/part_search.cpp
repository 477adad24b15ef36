#include "collector/weights/searches/part_search.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::weights {
namespace {

constexpr std::size_t kPair = 2 * WordPlaces::kWordBytes;
constexpr std::size_t kPairs = 3;  ///< Looked for of a probe, each a word behind the other.
constexpr std::size_t kWantedBytes = kPair + (kPairs - 1) * WordPlaces::kWordBytes;

/// Offsets from which pairs are taken: elements of two bytes may be at either place in a word of
/// the file.
std::vector<std::size_t> beginnings(const FloatConversion& conversion) {
  const bool is_half = !conversion.type.empty() && trace::float_bytes(conversion.file_type) == 2;
  return is_half ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0};
}

}  // namespace

std::vector<PartSearch::View> PartSearch::views_of(const Probe& probe) const {
  if (!WordPlaces::tell_apart(probe))
    return {};
  std::vector<View> views{{.bytes = {probe.begin(), probe.end()}}};
  for (const FloatConversion& conversion : lossless_conversions()) {
    if (conversion.is_big_endian() && !may_be_big_endian_)
      continue;
    auto narrow = narrowed(conversion.type, probe, conversion.file_type);
    if (narrow && WordPlaces::tell_apart(*narrow, trace::float_bytes(conversion.file_type)))
      views.push_back({.bytes = std::move(*narrow), .conversion = conversion});
  }
  return views;
}

void PartSearch::want(const Probe& probe) {
  for (const View& view : views_of(probe)) {
    is_empty_ = false;
    for (const std::size_t begin : beginnings(view.conversion))
      words_.want_pairs(std::span(view.bytes).subspan(begin, kWantedBytes));
  }
}

std::vector<PartSearch::Place> PartSearch::find(const Probe& probe) const {
  for (const View& view : views_of(probe)) {
    for (const std::size_t begin : beginnings(view.conversion)) {
      std::vector<Place> places = places_of(view, begin);
      if (!places.empty())
        return places;
    }
  }
  return {};
}

/// @param begin of the first pair that was looked for.
std::vector<PartSearch::Place> PartSearch::places_of(const View& view, std::size_t begin) const {
  std::vector<Place> places;
  for (std::size_t i = 0; i < kPairs && places.empty(); ++i) {
    const std::size_t at = begin + i * WordPlaces::kWordBytes;
    for (const FilePlace pair : words_.of_pair(std::span(view.bytes).subspan(at))) {
      if (pair.offset() >= at && files_[pair.file()]->has_at(pair.offset() - at, view.bytes))
        places.push_back({pair.file(), pair.offset() - at, view.conversion});
    }
  }
  return places;
}

}  // namespace tidemark::weights
