#include "collector/weights/order_search.hpp"

#include "collector/weights/value_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include <unistd.h>

namespace tidemark::weights {
namespace {

constexpr std::array<std::string_view, 14> kPlainContents{
    "gguf", "ggml", "safetensors", "torch", "tflite", "onnx",  "executorch",
    "tvm",  "npy",  "npz",         "hdf5",  "pickle", "mxnet", ""};
struct Widening {
  std::string_view type;
  std::string_view file_type;
};
constexpr std::array<Widening, 5> kWidenings{
    {{"f32", "bf16"}, {"f32", "f16"}, {"f64", "f32"}, {"f64", "bf16"}, {"f64", "f16"}}};
constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;
constexpr std::size_t kMinRun = 4;
constexpr std::size_t kMinInside = 12;
constexpr std::size_t kMinAtBegin = 16;
constexpr std::size_t kMinRows = 2;  ///< Behind the first.
constexpr std::size_t kMinDifferent = 8;
constexpr std::size_t kMaxHeader = 128;  ///< Of an object that has its bytes behind it.
constexpr std::uint64_t kMaxSlack = 4096 + kMaxHeader;
constexpr unsigned kOffsetBits = 48;

std::uint32_t word_in(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

std::uint64_t pair_in(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t pair = 0;
  std::memcpy(&pair, bytes.data() + at, sizeof pair);
  return pair;
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

/// The same of what was narrowed, by its elements.
bool tells_apart(std::span<const std::byte> elements, std::size_t each) {
  std::set<std::vector<std::byte>> different;
  for (std::size_t at = 0; at + each <= elements.size(); at += each)
    different.emplace(elements.begin() + static_cast<std::ptrdiff_t>(at),
                      elements.begin() + static_cast<std::ptrdiff_t>(at + each));
  return different.size() >= kMinDifferent;
}

std::span<const std::byte> beginning_of(const BlockSample& block) {
  return std::span(block.first).first(block.first_count);
}

std::uint64_t offset_of(std::uint64_t place) {
  return place & ((std::uint64_t{1} << kOffsetBits) - 1);
}

std::vector<float> floats_in(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// What goes up and down as weights do: of two ramps each is the other one, scaled.
bool goes_up_and_down(std::span<const float> values) {
  std::size_t turns = 0;
  for (std::size_t i = 2; i < values.size(); ++i)
    turns += (values[i] > values[i - 1]) != (values[i - 1] > values[i - 2]) ? 1U : 0U;
  return turns >= values.size() / 4;
}

/// Whether one number to multiply with and one to add make the others of each value.
bool are_scaled(std::span<const float> from, std::span<const float> to) {
  constexpr double kTolerance = 1e-5;  // Of the range: float32 rounds to less.
  const auto [least, most] = std::ranges::minmax_element(from);
  const double range = static_cast<double>(*most) - *least;
  const double first = to[static_cast<std::size_t>(least - from.begin())];
  const double last = to[static_cast<std::size_t>(most - from.begin())];
  const double factor = (last - first) / range;
  if (!std::isfinite(factor) || factor == 0 || !goes_up_and_down(from))
    return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double expected = first + factor * (static_cast<double>(from[i]) - *least);
    if (!(std::abs(expected - to[i]) <= kTolerance * std::abs(last - first)))
      return false;
  }
  return true;
}

bool is_in_file(const PlainFile& file, std::uint64_t offset, std::span<const std::byte> bytes) {
  std::vector<std::byte> there(bytes.size());
  const ssize_t got =
      ::pread(file.file.number(), there.data(), there.size(), static_cast<off_t>(offset));
  return got == std::ssize(bytes) && std::ranges::equal(bytes, there);
}

}  // namespace

std::vector<PlainFile::Floats> floats_of(std::span<const trace::Tensor> tensors,
                                         std::uint64_t file_bytes) {
  if (tensors.empty())
    return {{0, file_bytes}};
  std::vector<PlainFile::Floats> floats;
  for (const trace::Tensor& tensor : tensors) {
    if (tensor.type == "f32" && tensor.bytes == tensor.elements * sizeof(float))
      floats.push_back({tensor.begin, tensor.bytes});
  }
  return floats;
}

std::set<std::uint64_t> shifts_of(std::span<const trace::Tensor> tensors) {
  std::set<std::uint64_t> shifts;
  for (const trace::Tensor& tensor : tensors)
    shifts.insert(tensor.begin % kWordBytes);
  return shifts.empty() ? std::set<std::uint64_t>{0} : shifts;
}

bool OrderSearch::is_for(std::string_view content) {
  return std::ranges::find(kPlainContents, content) != kPlainContents.end();
}

void OrderSearch::want(const BlockSample& block) {
  if (blocks_ >= kMaxBlocks || !tells_apart(block.inner))
    return;
  ++blocks_;
  for (const View& view : views_of(block)) {
    if (!view.type.empty()) {
      want_pairs(view.inner);
      continue;
    }
    want_words(view.first);
    want_words(view.inner);
  }
}

void OrderSearch::want_pairs(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + 2 * kWordBytes <= bytes.size(); at += kWordBytes) {
    pairs_.try_emplace(pair_in(bytes, at));
    may_be_wanted_[hash_of(word_in(bytes, at))] = true;
  }
}

std::vector<OrderSearch::View> OrderSearch::views_of(const BlockSample& block) {
  const auto first = beginning_of(block);
  std::vector<View> views{{.first = {first.begin(), first.end()},
                           .inner = {block.inner.begin(), block.inner.end()},
                           .inner_at = block.inner_at,
                           .size = block.size,
                           .header = kMaxHeader}};
  for (const auto& [type, file_type] : kWidenings) {
    const std::uint64_t times = trace::float_bytes(type) / trace::float_bytes(file_type);
    // The header of an object is no value.
    const auto values = first.subspan(std::min(first.size(), kMaxHeader));
    auto beginning =
        narrowed(type, values.first(values.size() / sizeof(double) * sizeof(double)), file_type);
    auto inner = narrowed(type, block.inner, file_type);
    if (!beginning || !inner || !tells_apart(*inner, trace::float_bytes(file_type)))
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
  files_.push_back(&file);
  for (const PlainFile::Floats& floats : file.floats)
    floats_.emplace(floats.bytes, first + floats.begin);
  std::vector<std::byte> chunk(kChunkBytes);
  for (std::uint64_t at = 0; at < file.size && bytes_read_ < kMaxFileBytes; at += kChunkBytes) {
    const ssize_t got =
        ::pread(file.file.number(), chunk.data(), chunk.size(), static_cast<off_t>(at));
    if (got <= 0)
      return;
    const auto read = std::span(chunk).first(static_cast<std::size_t>(got));
    for (const std::uint64_t shift : file.shifts)
      take(read.subspan(std::min(shift, read.size())), first + at + shift);
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
    if (pairs_.empty() || at + 2 * kWordBytes > bytes.size())
      continue;
    const auto pair = pairs_.find(pair_in(bytes, at));
    if (pair != pairs_.end() && pair->second.size() <= kMaxPlaces)
      pair->second.push_back(begin + at);
  }
}

std::span<const OrderSearch::Place> OrderSearch::places_of(const View& view,
                                                           std::span<const std::byte> bytes) const {
  if (view.type.empty())
    return places_of(word_in(bytes, 0));
  if (bytes.size() < 2 * kWordBytes)
    return {};
  const auto found = pairs_.find(pair_in(bytes, 0));
  return found == pairs_.end() || found->second.size() > kMaxPlaces
             ? std::span<const Place>()
             : std::span<const Place>(found->second);
}

std::span<const OrderSearch::Place> OrderSearch::places_of(std::uint32_t word) const {
  const auto found = places_.find(word);
  return found == places_.end() || found->second.size() > kMaxPlaces
             ? std::span<const Place>()
             : std::span<const Place>(found->second);
}

bool OrderSearch::is_at(std::uint32_t word, Place place) const {
  const auto places = places_of(word);
  return std::ranges::find(places, place) != places.end();
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
      while (count < words.size() && is_at(words[count], begin + count * distance))
        ++count;
      if (count > longest.words && next >> kOffsetBits == begin >> kOffsetBits)
        longest = {count, static_cast<std::int64_t>(distance), begin};
    }
  }
  return longest;
}

OrderSearch::RunsByDistance OrderSearch::runs_of(std::span<const std::byte> bytes) const {
  RunsByDistance found;
  const auto words = words_in(bytes);
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
  const auto words = words_in(bytes);
  std::optional<Place> last;
  std::size_t at = 0;
  while (at < words.size()) {
    const Run run = longest_run(std::span(words).subspan(at));
    if (run.words < kMinRun || run.distance != kWordBytes) {
      last.reset();
      ++at;
      continue;
    }
    if (last) {
      const auto distance = static_cast<std::int64_t>(run.begin - *last);
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
                                         Place place,
                                         std::int64_t distance) const {
  return {.allocation = block.allocation,
          .file = files_[place >> kOffsetBits]->id,
          .offset = offset_of(place),
          .distance = distance,
          .at_ns = block.at_ns};
}

/// @param inner where in the file the block's inner bytes may be.
bool OrderSearch::is_as_in_file(const View& view, Place inner) const {
  const PlainFile& file = *files_[inner >> kOffsetBits];
  const std::uint64_t inner_offset = offset_of(inner);
  // What an object's header takes of the block may be in front of the file's first byte.
  if (view.first.size() <= view.header || inner_offset + view.header < view.inner_at)
    return false;
  const std::uint64_t behind_header = inner_offset + view.header - view.inner_at;
  const std::uint64_t begin = behind_header - std::min<std::uint64_t>(behind_header, view.header);
  return begin + view.size <= file.size + kMaxSlack && is_in_file(file, inner_offset, view.inner) &&
         is_in_file(file, behind_header, std::span(view.first).subspan(view.header));
}

std::optional<trace::PackedMatch> OrderSearch::find_as_in_file(const BlockSample& block,
                                                               const View& view) const {
  for (std::size_t before = 0; before + kWordBytes <= view.inner.size(); before += kWordBytes) {
    for (const Place place : places_of(view, std::span(view.inner).subspan(before))) {
      if (offset_of(place) < before || !is_as_in_file(view, place - before))
        continue;
      const std::uint64_t inner = offset_of(place) - before;
      const Place file = place >> kOffsetBits << kOffsetBits;
      auto match = match_at(block, file + inner - std::min(inner, view.inner_at), 0);
      match.type = view.type;
      match.file_type = view.file_type;
      return match;
    }
  }
  return std::nullopt;
}

std::optional<OrderSearch::Likeness> OrderSearch::likeness_of(const BlockSample& block,
                                                              Place begin) const {
  const FileDescriptor& file = files_[begin >> kOffsetBits]->file;
  const auto behind_header = beginning_of(block).subspan(kMaxHeader);
  std::vector<std::byte> from(behind_header.size() + block.inner.size());
  const auto read = [&](std::span<std::byte> into, std::uint64_t place) {
    const auto at = static_cast<off_t>(offset_of(begin) + place);
    return ::pread(file.number(), into.data(), into.size(), at) == std::ssize(into);
  };
  if (!read(std::span(from).first(behind_header.size()), kMaxHeader) ||
      !read(std::span(from).subspan(behind_header.size()), block.inner_at))
    return std::nullopt;
  std::vector<std::byte> to(behind_header.begin(), behind_header.end());
  to.insert(to.end(), block.inner.begin(), block.inner.end());
  // Of a part of the file that was not read for the search by words, or whose words are in too many
  // places.
  if (from == to)
    return Likeness::kSame;
  std::vector<float> values = floats_in(from);
  const std::vector<float> there = floats_in(to);
  if (are_scaled(values, there))
    return Likeness::kScaled;
  for (float& value : values)
    value = std::abs(value);
  return are_scaled(values, there) ? std::optional(Likeness::kScaled) : std::nullopt;
}

/// Of some with the block's size, or nearly: nothing else says which they may be.
std::optional<trace::PackedMatch> OrderSearch::find_scaled(const BlockSample& block) const {
  constexpr std::size_t kMaxTries = 256;
  if (block.first_count < BlockSample::kFirstBytes)
    return std::nullopt;
  std::size_t tries = 0;
  const std::uint64_t least = block.size - std::min(block.size, kMaxSlack);
  // The block's own size first.
  for (auto at = std::make_reverse_iterator(floats_.upper_bound(block.size));
       at != floats_.rend() && at->first >= least && tries < kMaxTries; ++at, ++tries) {
    const auto likeness = likeness_of(block, at->second);
    if (!likeness)
      continue;
    auto match = match_at(block, at->second, 0);
    if (*likeness == Likeness::kScaled)
      match.type = match.file_type = "f32";
    return match;
  }
  return std::nullopt;
}

/// So wide that the block's beginning is a piece of one row: only a tensor of the block's size
/// tells that it is packed. Its first values stand there, and what is further inside the block is
/// elsewhere in the tensor than it would be in a plain copy.
std::optional<trace::PackedMatch> OrderSearch::find_wide_panels(const BlockSample& block) const {
  constexpr std::uint64_t kPadding = 8;  // What tiles that are not full may add to a tensor.
  const auto first = words_in(beginning_of(block));
  const auto inner = words_in(block.inner);
  const Run inside = longest_run(inner);
  if (inside.words < inner.size() || inside.distance != kWordBytes)
    return std::nullopt;
  const std::uint64_t least = block.size - block.size / kPadding;
  for (auto at = floats_.lower_bound(least); at != floats_.end() && at->first <= block.size; ++at) {
    const auto& [bytes, begin] = *at;
    if (inside.begin < begin || inside.begin + block.inner.size() > begin + bytes)
      continue;
    const std::uint64_t place = inside.begin - begin;
    for (std::size_t header = 0; header * kWordBytes <= kMaxHeader; ++header) {
      std::size_t count = 0;
      while (header + count < first.size() &&
             is_at(first[header + count], begin + count * kWordBytes))
        ++count;
      if (count >= kMinAtBegin && header + count == first.size() &&
          place + header * kWordBytes != block.inner_at)
        return match_at(block, begin, kWordBytes);
    }
  }
  return std::nullopt;
}

std::optional<trace::PackedMatch> OrderSearch::find(const BlockSample& block) const {
  if (!tells_apart(block.inner))
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
  return find_wide_panels(block);
}

}  // namespace tidemark::weights
