#include "collector/weights/searches/order_search.hpp"

#include "collector/weights/searches/scaled_floats.hpp"
#include "collector/weights/value_forms.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::weights {
namespace {

constexpr std::size_t kWordBytes = WordPlaces::kWordBytes;
constexpr std::size_t kMinRun = 4;
constexpr std::size_t kMinInside = 12;
constexpr std::size_t kMinAtBegin = 16;
constexpr std::size_t kMinRows = 2;  ///< After the first one.
constexpr std::size_t kMaxHeader = BlockSample::kMaxHeaderBytes;
constexpr std::uint64_t kMaxSlack = BlockSample::kMaxSlackBytes;

std::span<const std::byte> beginning_of(const BlockSample& block) {
  return std::span(block.first).first(block.first_count);
}

}  // namespace

void OrderSearch::want(const BlockSample& block) {
  if (blocks_ >= kMaxBlocks || !WordPlaces::tell_apart(block.inner))
    return;
  ++blocks_;
  for (const View& view : views_of(block)) {
    if (!view.type.empty()) {
      words_.want_pairs(view.inner);
      continue;
    }
    words_.want_words(view.first);
    words_.want_words(view.inner);
  }
}

std::vector<OrderSearch::View> OrderSearch::views_of(const BlockSample& block) const {
  const auto first = beginning_of(block);
  std::vector<View> views{{.first = {first.begin(), first.end()},
                           .inner = {block.inner.begin(), block.inner.end()},
                           .inner_at = block.inner_at,
                           .size = block.size,
                           .header = kMaxHeader}};
  for (const FloatConversion& conversion : lossless_conversions()) {
    const auto& [type, file_type] = conversion;
    if (conversion.is_big_endian() && !may_be_big_endian_)
      continue;
    const std::uint64_t times = conversion.times();
    // The header of an object is no value.
    const auto values = first.subspan(std::min(first.size(), kMaxHeader));
    auto beginning =
        narrowed(type, values.first(values.size() / sizeof(double) * sizeof(double)), file_type);
    auto inner = narrowed(type, block.inner, file_type);
    if (!beginning || !inner || !WordPlaces::tell_apart(*inner, trace::float_bytes(file_type)))
      continue;
    beginning->insert(beginning->begin(), kMaxHeader / times, std::byte{});
    views.push_back({.first = std::move(*beginning),
                     .inner = std::move(*inner),
                     .inner_at = block.inner_at / times,
                     .size = block.size / times,
                     .header = kMaxHeader / times,
                     .type = type,
                     .file_type = file_type});
  }
  return views;
}

void OrderSearch::read(const PlainFile& file) {
  for (const PlainFile::Floats& floats : file.floats)
    floats_.emplace(floats.bytes, FilePlace(files_.size(), floats.begin));
  files_.push_back(&file);
  words_.read(file);
}

std::span<const FilePlace> OrderSearch::places_of(const View& view,
                                                  std::span<const std::byte> bytes) const {
  return view.type.empty() ? words_.of_word(WordPlaces::word_in(bytes, 0)) : words_.of_pair(bytes);
}

/// The longest run that begins with the first of the words.
OrderSearch::Run OrderSearch::longest_run(std::span<const std::uint32_t> words) const {
  Run longest;
  if (words.size() < kMinRun)
    return longest;
  for (const FilePlace begin : words_.of_word(words[0])) {
    for (const FilePlace next : words_.of_word(words[1])) {
      const std::uint64_t distance = next.distance_from(begin);
      std::size_t count = 2;
      while (count < words.size() && words_.is_at(words[count], begin.behind(count * distance)))
        ++count;
      if (count > longest.words && next.file() == begin.file())
        longest = {count, static_cast<std::int64_t>(distance), begin};
    }
  }
  return longest;
}

OrderSearch::RunsByDistance OrderSearch::runs_of(std::span<const std::byte> bytes) const {
  RunsByDistance found;
  const auto words = WordPlaces::words_in(bytes);
  std::size_t at = 0;
  while (at < words.size()) {
    const Run run = longest_run(std::span(words).subspan(at));
    const bool is_run = run.words >= kMinRun && run.distance != 0;
    if (is_run) {
      Runs& runs = found.try_emplace(run.distance, Runs{.begin = run.begin}).first->second;
      runs.words += run.words;
      ++runs.count;
    }
    at += is_run ? run.words : 1;
  }
  return found;
}

OrderSearch::RunsByDistance OrderSearch::rows_of(std::span<const std::byte> bytes) const {
  RunsByDistance found;
  const auto words = WordPlaces::words_in(bytes);
  std::optional<FilePlace> last;
  std::size_t at = 0;
  while (at < words.size()) {
    const Run run = longest_run(std::span(words).subspan(at));
    if (run.words < kMinRun || run.distance != kWordBytes) {
      last.reset();
      ++at;
      continue;
    }
    if (last) {
      const auto distance = static_cast<std::int64_t>(run.begin.distance_from(*last));
      Runs& runs = found.try_emplace(distance, Runs{.begin = *last}).first->second;
      runs.words += run.words;
      ++runs.count;
    }
    last = run.begin;
    at += run.words;
  }
  return found;
}

trace::PackedMatch OrderSearch::match_at(const BlockSample& block,
                                         FilePlace place,
                                         std::int64_t distance) const {
  return {.allocation = block.allocation,
          .file = files_[place.file()]->id,
          .offset = place.offset(),
          .distance = distance,
          .at_ns = block.at_ns};
}

/// @param inner where in the file the block's inner bytes may be.
bool OrderSearch::is_as_in_file(const View& view, FilePlace inner) const {
  const PlainFile& file = *files_[inner.file()];
  const std::uint64_t inner_offset = inner.offset();
  // An object's header in the block may precede the file's first byte.
  if (view.first.size() <= view.header || inner_offset + view.header < view.inner_at)
    return false;
  const std::uint64_t behind_header = inner_offset + view.header - view.inner_at;
  const std::uint64_t begin = behind_header - std::min<std::uint64_t>(behind_header, view.header);
  return begin + view.size <= file.size + kMaxSlack && file.has_at(inner_offset, view.inner) &&
         file.has_at(behind_header, std::span(view.first).subspan(view.header));
}

std::optional<trace::PackedMatch> OrderSearch::find_as_in_file(const BlockSample& block,
                                                               const View& view) const {
  for (std::size_t before = 0; before + kWordBytes <= view.inner.size(); before += kWordBytes) {
    for (const FilePlace place : places_of(view, std::span(view.inner).subspan(before))) {
      if (place.offset() < before)
        continue;
      const FilePlace inner(place.file(), place.offset() - before);
      if (!is_as_in_file(view, inner))
        continue;
      const std::uint64_t begin = inner.offset() - std::min(inner.offset(), view.inner_at);
      auto match = match_at(block, FilePlace(place.file(), begin), 0);
      match.type = view.type;
      match.file_type = view.file_type;
      return match;
    }
  }
  return std::nullopt;
}

/// Tries the tensors with the block's size, or nearly: nothing else says which one it may be.
std::optional<trace::PackedMatch> OrderSearch::find_scaled(const BlockSample& block) const {
  constexpr std::size_t kMaxTries = 256;
  if (block.first_count < BlockSample::kFirstBytes)
    return std::nullopt;
  std::size_t tries = 0;
  const std::uint64_t least = block.size - std::min(block.size, kMaxSlack);
  // The block's own size first.
  for (auto at = std::make_reverse_iterator(floats_.upper_bound(block.size));
       at != floats_.rend() && at->first >= least && tries < kMaxTries; ++at, ++tries) {
    const FilePlace begin = at->second;
    const auto likeness =
        likeness_to_floats(block, kMaxHeader, *files_[begin.file()], begin.offset());
    if (!likeness)
      continue;
    auto match = match_at(block, begin, 0);
    if (*likeness == FloatLikeness::kScaled)
      match.type = match.file_type = "f32";
    return match;
  }
  return std::nullopt;
}

/// Panels so wide that the block's begin is a piece of one row: only a tensor of the block's size
/// shows that it is packed. Its first values are at the begin, and values further inside the block
/// are elsewhere in the tensor than in a plain copy.
std::optional<trace::PackedMatch> OrderSearch::find_wide_panels(const BlockSample& block) const {
  constexpr std::uint64_t kPadding = 8;  // How much partly filled tiles may add to a tensor.
  const auto first = WordPlaces::words_in(beginning_of(block));
  const auto inner = WordPlaces::words_in(block.inner);
  const Run inside = longest_run(inner);
  if (inside.words < inner.size() || inside.distance != kWordBytes)
    return std::nullopt;
  const std::uint64_t least = block.size - block.size / kPadding;
  for (auto at = floats_.lower_bound(least); at != floats_.end() && at->first <= block.size; ++at) {
    const auto& [bytes, begin] = *at;
    if (inside.begin < begin || inside.begin.behind(block.inner.size()) > begin.behind(bytes))
      continue;
    const std::uint64_t place = inside.begin.distance_from(begin);
    for (std::size_t header = 0; header * kWordBytes <= kMaxHeader; ++header) {
      std::size_t count = 0;
      while (header + count < first.size() &&
             words_.is_at(first[header + count], begin.behind(count * kWordBytes)))
        ++count;
      if (count >= kMinAtBegin && header + count == first.size() &&
          place + header * kWordBytes != block.inner_at)
        return match_at(block, begin, kWordBytes);
    }
  }
  return std::nullopt;
}

/// Whether the block has the file from `first` to its end except for gaps, a tenth of it at most.
/// Gaps have to be spread evenly: in front of `inner` the same part was left out as in the whole
/// file.
bool OrderSearch::has_gaps_alike(const BlockSample& block,
                                 std::uint64_t header,
                                 FilePlace first,
                                 FilePlace inner) const {
  constexpr std::uint64_t kMaxGaps = 9;     // As a part of what is there.
  constexpr std::uint64_t kTolerance = 16;  // A row more or less, and what is behind the last one.
  const std::uint64_t in_file = files_[first.file()]->size - first.offset();
  const std::uint64_t size = block.size - header;
  const std::uint64_t at = block.inner_at - header;
  const std::uint64_t at_in_file = inner.offset() - first.offset();
  if (inner.file() != first.file() || inner < first || at_in_file <= at || in_file <= size ||
      in_file - size > size / kMaxGaps) {
    return false;
  }
  const std::uint64_t gaps = at_in_file - at;
  const auto expected = static_cast<std::uint64_t>(
      static_cast<double>(in_file - size) / static_cast<double>(size) * static_cast<double>(at));
  return std::max(gaps, expected) - std::min(gaps, expected) <= gaps / kTolerance + kMaxHeader;
}

/// A copied section of an array: its rows without the last elements of each. Not for a file that
/// lists its tensors, as each is searched for on its own.
std::optional<trace::PackedMatch> OrderSearch::find_with_gaps(const BlockSample& block) const {
  const auto first = WordPlaces::words_in(beginning_of(block));
  const auto inner = WordPlaces::words_in(block.inner);
  const Run inside = longest_run(inner);
  if (inside.words < inner.size() || inside.distance != kWordBytes ||
      files_[inside.begin.file()]->lists_tensors)
    return std::nullopt;
  for (std::size_t header = 0;
       header * kWordBytes <= kMaxHeader && header + kMinAtBegin <= first.size(); ++header) {
    for (const FilePlace begin : words_.of_word(first[header])) {
      std::size_t count = 1;
      while (header + count < first.size() &&
             words_.is_at(first[header + count], begin.behind(count * kWordBytes)))
        ++count;
      if (header + count == first.size() &&
          has_gaps_alike(block, header * kWordBytes, begin, inside.begin))
        return match_at(block, begin, 0);
    }
  }
  return std::nullopt;
}

std::optional<trace::PackedMatch> OrderSearch::find(const BlockSample& block) const {
  if (!WordPlaces::tell_apart(block.inner))
    return std::nullopt;
  for (const View& view : views_of(block)) {
    if (auto as_in_file = find_as_in_file(block, view))
      return as_in_file;
  }
  if (auto scaled = find_scaled(block))
    return scaled;
  const auto inside = runs_of(block.inner);
  const auto at_begin = runs_of(beginning_of(block));
  for (const auto& [distance, run] : inside) {
    const auto first = at_begin.find(distance);
    if (distance != kWordBytes && run.words >= kMinInside && first != at_begin.end() &&
        first->second.words >= kMinAtBegin)
      return match_at(block, first->second.begin, distance);
  }
  const auto pieces = inside.find(kWordBytes);
  if (pieces == inside.end() || pieces->second.words < kMinInside)
    return std::nullopt;
  for (const auto& [distance, rows] : rows_of(beginning_of(block))) {
    if (rows.count >= kMinRows && rows.words >= kMinAtBegin)
      return match_at(block, rows.begin, distance);
  }
  if (auto with_gaps = find_with_gaps(block))
    return with_gaps;
  return find_wide_panels(block);
}

}  // namespace tidemark::weights
