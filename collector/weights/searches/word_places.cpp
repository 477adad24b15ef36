#include "collector/weights/searches/word_places.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tidemark::weights {
namespace {

/// A pair that begins with a piece's last word, shifted by three.
constexpr std::size_t kBeyond = 3 + WordPlaces::kWordBytes;

std::uint64_t pair_in(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t pair = 0;
  std::memcpy(&pair, bytes.data() + at, sizeof pair);
  return pair;
}

/// 22 bits: as many as `may_be_wanted_` has.
std::size_t hash_of(std::uint32_t word) {
  return (word * 2'654'435'761U) >> 10U;
}

}  // namespace

std::uint32_t WordPlaces::word_in(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

std::vector<std::uint32_t> WordPlaces::words_in(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + kWordBytes <= bytes.size(); at += kWordBytes)
    words.push_back(word_in(bytes, at));
  return words;
}

bool WordPlaces::tell_apart(std::span<const std::byte> bytes, std::size_t each) {
  constexpr std::size_t kMinWords = 8;
  std::array<std::span<const std::byte>, kMinWords> different;
  std::size_t count = 0;
  for (std::size_t at = 0; at + each <= bytes.size() && count < kMinWords; at += each) {
    const auto element = bytes.subspan(at, each);
    const auto end = different.begin() + static_cast<std::ptrdiff_t>(count);
    const bool is_known = std::any_of(different.begin(), end, [&](const auto& other) {
      return std::ranges::equal(other, element);
    });
    if (!is_known)
      different[count++] = element;
  }
  return count >= kMinWords;
}

void WordPlaces::want_words(std::span<const std::byte> bytes) {
  for (const std::uint32_t word : words_in(bytes)) {
    if (word != 0) {
      words_.try_emplace(word);
      may_be_wanted_[hash_of(word)] = true;
    }
  }
}

void WordPlaces::want_pairs(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + 2 * kWordBytes <= bytes.size(); at += kWordBytes) {
    pairs_.try_emplace(pair_in(bytes, at));
    may_be_wanted_[hash_of(word_in(bytes, at))] = true;
  }
}

void WordPlaces::read(const PlainFile& file) {
  const std::size_t number = files_++;
  const auto take_shifted = [&](std::span<const std::byte> piece, std::uint64_t at) {
    for (const std::uint64_t shift : file.shifts)
      take(piece.subspan(std::min(shift, piece.size())), PlainFile::kPieceBytes,
           FilePlace(number, at + shift));
  };
  read_pieces(file, kBeyond, kMaxFileBytes, bytes_read_, take_shifted);
}

void WordPlaces::take(std::span<const std::byte> bytes, std::size_t own, FilePlace begin) {
  for (std::size_t at = 0; at < own && at + kWordBytes <= bytes.size(); at += kWordBytes) {
    const std::uint32_t word = word_in(bytes, at);
    if (!may_be_wanted_[hash_of(word)])
      continue;
    const auto wanted = words_.find(word);
    if (wanted != words_.end() && wanted->second.size() <= kMaxPlaces)
      wanted->second.push_back(begin.behind(at));
    if (pairs_.empty() || at + 2 * kWordBytes > bytes.size())
      continue;
    const auto pair = pairs_.find(pair_in(bytes, at));
    if (pair != pairs_.end() && pair->second.size() <= kMaxPlaces)
      pair->second.push_back(begin.behind(at));
  }
}

std::span<const FilePlace> WordPlaces::of_word(std::uint32_t word) const {
  const auto found = words_.find(word);
  return found == words_.end() || found->second.size() > kMaxPlaces
             ? std::span<const FilePlace>()
             : std::span<const FilePlace>(found->second);
}

std::span<const FilePlace> WordPlaces::of_pair(std::span<const std::byte> bytes) const {
  if (bytes.size() < 2 * kWordBytes)
    return {};
  const auto found = pairs_.find(pair_in(bytes, 0));
  return found == pairs_.end() || found->second.size() > kMaxPlaces
             ? std::span<const FilePlace>()
             : std::span<const FilePlace>(found->second);
}

bool WordPlaces::is_at(std::uint32_t word, FilePlace place) const {
  const auto places = of_word(word);
  return std::ranges::find(places, place) != places.end();
}

}  // namespace tidemark::weights
