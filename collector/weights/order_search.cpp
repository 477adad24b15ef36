#include "collector/weights/order_search.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include <unistd.h>

namespace tidemark::weights {
namespace {

constexpr std::array<std::string_view, 10> kPlainContents{
    "gguf", "ggml", "safetensors", "torch", "tflite", "onnx", "executorch", "tvm", "npy", "npz"};
constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;
constexpr std::size_t kMinRun = 4;
constexpr std::size_t kMinInside = 12;
constexpr std::size_t kMinAtBegin = 16;
constexpr std::size_t kMinDifferent = 8;
constexpr unsigned kOffsetBits = 48;

std::uint32_t word_in(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

std::vector<std::uint32_t> words_in(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + kWordBytes <= bytes.size(); at += kWordBytes)
    words.push_back(word_in(bytes, at));
  return words;
}

/// 22 bits: as many as `may_be_wanted_` has.
std::size_t hash_of(std::uint32_t word) {
  return (word * 2'654'435'761U) >> 10U;
}

bool tells_apart(std::span<const std::byte> bytes) {
  const auto words = words_in(bytes);
  return std::set<std::uint32_t>(words.begin(), words.end()).size() >= kMinDifferent;
}

std::span<const std::byte> beginning_of(const BlockSample& block) {
  return std::span(block.first).first(block.first_count);
}

}  // namespace

bool OrderSearch::is_for(std::string_view content) {
  return std::ranges::find(kPlainContents, content) != kPlainContents.end();
}

void OrderSearch::want(const BlockSample& block) {
  if (blocks_ >= kMaxBlocks || !tells_apart(block.inner))
    return;
  ++blocks_;
  want_words(beginning_of(block));
  want_words(block.inner);
}

void OrderSearch::want_words(std::span<const std::byte> bytes) {
  for (const std::uint32_t word : words_in(bytes)) {
    if (word != 0) {
      places_.try_emplace(word);
      may_be_wanted_[hash_of(word)] = true;
    }
  }
}

void OrderSearch::read(const PlainFile& file) {
  const Place first = static_cast<Place>(files_.size()) << kOffsetBits;
  files_.push_back(file.id);
  std::vector<std::byte> chunk(kChunkBytes);
  for (std::uint64_t at = 0; at < file.size && bytes_read_ < kMaxFileBytes; at += kChunkBytes) {
    const ssize_t got =
        ::pread(file.file.number(), chunk.data(), chunk.size(), static_cast<off_t>(at));
    if (got <= 0)
      return;
    take(std::span(chunk).first(static_cast<std::size_t>(got)), first + at);
    bytes_read_ += static_cast<std::uint64_t>(got);
  }
}

void OrderSearch::take(std::span<const std::byte> bytes, Place begin) {
  for (std::size_t at = 0; at + kWordBytes <= bytes.size(); at += kWordBytes) {
    const std::uint32_t word = word_in(bytes, at);
    if (!may_be_wanted_[hash_of(word)])
      continue;
    const auto wanted = places_.find(word);
    if (wanted != places_.end() && wanted->second.size() <= kMaxPlaces)
      wanted->second.push_back(begin + at);
  }
}

std::span<const OrderSearch::Place> OrderSearch::places_of(std::uint32_t word) const {
  const auto found = places_.find(word);
  return found == places_.end() || found->second.size() > kMaxPlaces
             ? std::span<const Place>()
             : std::span<const Place>(found->second);
}

/// From the first of the words on.
OrderSearch::Run OrderSearch::longest_run(std::span<const std::uint32_t> words) const {
  Run longest;
  if (words.size() < kMinRun)
    return longest;
  for (const Place begin : places_of(words[0])) {
    for (const Place next : places_of(words[1])) {
      const std::uint64_t distance = next - begin;  // modulo 2^64
      std::size_t count = 2;
      while (count < words.size() &&
             std::ranges::binary_search(places_of(words[count]), begin + count * distance))
        ++count;
      if (count > longest.words && next >> kOffsetBits == begin >> kOffsetBits)
        longest = {count, static_cast<std::int64_t>(distance), begin};
    }
  }
  return longest;
}

std::unordered_map<std::int64_t, std::pair<std::size_t, OrderSearch::Place>> OrderSearch::runs_of(
    std::span<const std::byte> bytes) const {
  std::unordered_map<std::int64_t, std::pair<std::size_t, Place>> found;
  const auto words = words_in(bytes);
  std::size_t at = 0;
  while (at < words.size()) {
    const Run run = longest_run(std::span(words).subspan(at));
    const bool is_run = run.words >= kMinRun && run.distance != 0 && run.distance != kWordBytes;
    if (is_run) {
      auto& [count, begin] = found.try_emplace(run.distance, 0U, run.begin).first->second;
      count += run.words;
    }
    at += is_run ? run.words : 1;
  }
  return found;
}

std::optional<trace::PackedMatch> OrderSearch::find(const BlockSample& block) const {
  if (!tells_apart(block.inner))
    return std::nullopt;
  const auto inside = runs_of(block.inner);
  const auto at_begin = runs_of(beginning_of(block));
  for (const auto& [distance, run] : inside) {
    const auto first = at_begin.find(distance);
    if (run.first >= kMinInside && first != at_begin.end() && first->second.first >= kMinAtBegin) {
      const Place place = first->second.second;
      return trace::PackedMatch{.allocation = block.allocation,
                                .file = files_[place >> kOffsetBits],
                                .offset = place & ((Place{1} << kOffsetBits) - 1),
                                .distance = distance,
                                .at_ns = block.at_ns};
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::weights
