#include "collector/drain/books/contents/shifted_values.hpp"

#include "collector/weights/searches/word_places.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tidemark {
namespace {

using weights::WordPlaces;

constexpr std::size_t kKeyAt = BlockBeginnings::kKeyAt;
/// Covers the header of any object, and a place after it.
constexpr std::size_t kBeginningBytes = kKeyAt + 64;
using Beginning = std::array<std::byte, kBeginningBytes>;
using ComparedBytes = ShiftedValues::Place;
constexpr std::size_t kMaxCandidates = 4;
/// Bytes after the values of the block, such as a string's last byte.
constexpr std::uint64_t kMaxBehind = 64;

std::uint64_t word_of(std::span<const std::byte> bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

/// A block that may be in another one from `begin` on, its header in front of that.
struct Candidate {
  const JoinedWhole& held;
  const BeginningBlock& larger;
  std::uint64_t begin = 0;

  [[nodiscard]] Beginning beginning() const {
    Beginning first;
    std::ranges::copy(held.first.first(first.size()), first.begin());
    return first;
  }
};

/// The bytes of the block that precede those in the larger one; none if the values differ.
std::optional<std::uint64_t> header_of(const Candidate& it, const JoinedMemory& memory) {
  Beginning there;
  if (!memory.read(it.larger.address + it.begin, there))
    return std::nullopt;
  const Beginning own = it.beginning();
  for (const std::uint64_t header : kValueHeaders) {
    if (std::ranges::equal(std::span(own).subspan(header), std::span(there).subspan(header)))
      return header;
  }
  return std::nullopt;
}

std::array<std::uint64_t, 4> places_in(std::uint64_t bytes) {
  return {0, bytes / 3, bytes / 5 * 4, bytes - kMaxBehind - ComparedBytes().size()};
}

/// @return false if the values repeat, or are all the same: then places say nothing.
bool fill_expected(ShiftedValues& values,
                   std::span<const std::byte> beginning,
                   const JoinedMemory& memory) {
  const trace::Joined& joined = values.joined;
  bool tells = false;
  std::size_t place = 0;
  for (const std::uint64_t at : places_in(joined.bytes)) {
    ComparedBytes& there = values.expected.at(place++);
    if (!memory.read(values.larger.address + joined.begin + at, there) ||
        (at != 0 && std::ranges::equal(there, beginning)))
      return false;
    tells = tells || (at != 0 && WordPlaces::tell_apart(there));
  }
  return tells;
}

std::optional<ShiftedValues> begun_in(const Candidate& it, const JoinedMemory& memory) {
  const auto size = memory.size_of(it.larger);
  if (!size || *size <= it.begin || *size - it.begin + kMaxBehind < it.held.block.size)
    return std::nullopt;
  const auto header = header_of(it, memory);
  if (!header || it.begin + *header <= kKeyAt)
    return std::nullopt;
  const std::uint64_t begin = it.begin + *header;
  ShiftedValues values{.larger = it.larger,
                       .joined = {.allocation = it.held.block.allocation,
                                  .of = it.larger.allocation,
                                  .begin = begin,
                                  .bytes = std::min(it.held.block.size - *header, *size - begin)},
                       .header = *header};
  const auto beginning = it.held.first.subspan(*header, ComparedBytes().size());
  return WordPlaces::tell_apart(beginning) && fill_expected(values, beginning, memory)
             ? std::optional(values)
             : std::nullopt;
}

}  // namespace

void NearWords::add(const BeginningBlock& block,
                    std::uint64_t begin,
                    std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + kStep <= bytes.size() && count_ < kMaxWords; at += kStep) {
    const std::uint64_t word = word_of(bytes.subspan(at));
    if (word >> 32U == (word & UINT32_MAX))
      continue;
    auto& places = places_[word];
    const auto is_it = [&](const Place& place) {
      return place.block.allocation == block.allocation && place.begin == begin + at;
    };
    if (places.size() >= kMaxAlike || std::ranges::any_of(places, is_it))
      continue;
    places.push_back({block, begin + at});
    ++count_;
  }
}

std::span<const NearWords::Place> NearWords::with(std::span<const std::byte> bytes) const {
  const auto found = places_.find(word_of(bytes));
  return found == places_.end() ? std::span<const Place>() : found->second;
}

void NearWords::sweep(const std::function<bool(const BeginningBlock&)>& is_there) {
  count_ = 0;
  for (auto& [word, places] : places_) {
    std::erase_if(places, [&is_there](const Place& place) { return !is_there(place.block); });
    count_ += places.size();
  }
  std::erase_if(places_, [](const auto& entry) { return entry.second.empty(); });
}

ShiftedSearch find_shifted_values(const JoinedWhole& held,
                                  const NearWords& words,
                                  const JoinedMemory& memory) {
  ShiftedSearch search;
  std::size_t candidates = 0;
  // The words of the larger block are eight bytes apart, so one of these is among them.
  for (std::size_t at = kKeyAt; at < kKeyAt + NearWords::kStep; ++at) {
    for (const NearWords::Place& place : words.with(held.first.subspan(at))) {
      if (place.block.allocation == held.block.allocation || place.begin <= at)
        continue;
      if (++candidates > kMaxCandidates)
        return search;
      search.has_read = true;
      search.begun = begun_in({held, place.block, place.begin - at}, memory);
      if (search.begun)
        return search;
    }
  }
  return search;
}

bool holds_shifted_values(std::uint64_t address,
                          const ShiftedValues& values,
                          const JoinedMemory& memory) {
  std::size_t place = 0;
  return std::ranges::all_of(places_in(values.joined.bytes), [&](std::uint64_t at) {
    ComparedBytes own;
    return memory.read(address + values.header + at, own) && own == values.expected.at(place++);
  });
}

}  // namespace tidemark
