#include "collector/weights/searches/node_search.hpp"

#include "collector/weights/value_forms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

namespace tidemark::weights {
namespace {

constexpr std::size_t kMinNumbers = 4;  ///< At the block's beginning.
constexpr std::size_t kMinNumbersInside = 2;

constexpr std::array<std::size_t, 9> kNodeBytes{8, 12, 16, 24, 32, 40, 48, 56, 64};

/// The float64 that Ruby has packed into a VALUE together with its tag, as rb_float_flonum_value in
/// Ruby's internal/numeric.h takes it out. None of another object.
std::optional<std::uint64_t> untagged(std::uint64_t value) {
  constexpr std::uint64_t kTagBits = 3;
  constexpr std::uint64_t kTag = 2;
  constexpr std::uint64_t kZero = 0x8000000000000002;
  if ((value & kTagBits) != kTag)
    return std::nullopt;
  return value == kZero ? 0 : std::rotr((kTag - (value >> 63U)) | (value & ~kTagBits), 3);
}

/// Whether the magnitude is one that weights have. Most bytes that are no floats fail this.
template <typename Float>
bool may_be_weight(std::span<const std::byte> bytes) {
  Float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  constexpr Float kSmallest = 1e-18F;
  constexpr Float kLargest = 1e18F;
  return value == 0 || (std::abs(value) > kSmallest && std::abs(value) < kLargest);
}

bool may_be_weights(std::span<const std::byte> numbers, std::size_t each, std::size_t least) {
  std::set<std::vector<std::byte>> different;
  for (std::size_t at = 0; at + each <= numbers.size(); at += each) {
    const auto number = numbers.subspan(at, each);
    if (!(each == sizeof(double) ? may_be_weight<double>(number) : may_be_weight<float>(number)))
      return false;
    different.emplace(number.begin(), number.end());
  }
  return different.size() >= least;
}

/// The numbers may follow an object's header. For large nodes, no header is assumed, so that enough
/// of them were seen.
std::size_t header_bytes(std::size_t node_bytes) {
  constexpr std::size_t kBehindHeader = BlockSample::kFirstBytes - BlockSample::kMaxHeaderBytes;
  return kMinNumbers * node_bytes <= kBehindHeader ? BlockSample::kMaxHeaderBytes : 0;
}

}  // namespace

constexpr std::array<NodeSearch::Kind, 4> NodeSearch::kKinds{
    {{"f32", "f32"}, {"f64", "f32"}, {"f64", "f64"}, {"f64", "f32", true}}};

/// Numbers of a layout's type, each a node behind the one before it, as they are in the file: as
/// far as they lie in `bytes`. Empty where one cannot be in the file.
/// @param begin in `bytes`, of the first of them.
std::vector<std::byte> NodeSearch::numbers_in(std::span<const std::byte> bytes,
                                              std::size_t begin,
                                              const Layout& layout) {
  const Kind& kind = layout.kind;
  const std::size_t each = trace::float_bytes(kind.type);
  std::vector<std::byte> numbers;
  for (std::size_t at = begin; at + each <= bytes.size(); at += layout.node_bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> taken{};
    std::ranges::copy(bytes.subspan(at, each), taken.begin());
    if (kind.is_tagged) {
      const auto bits = untagged(std::bit_cast<std::uint64_t>(taken));
      if (!bits)
        return {};
      taken = std::bit_cast<decltype(taken)>(*bits);
    }
    const auto number = narrowed(kind.type, std::span(taken).first(each), kind.file_type);
    if (!number)
      return {};
    numbers.insert(numbers.end(), number->begin(), number->end());
  }
  return numbers;
}

std::vector<std::byte> NodeSearch::numbers_at_beginning(const BlockSample& block,
                                                        const Layout& layout) {
  return numbers_in(std::span(block.first).first(block.first_count), layout.begin, layout);
}

std::vector<NodeSearch::Layout> NodeSearch::layouts_of(const BlockSample& block) {
  std::vector<Layout> layouts;
  if (block.first_count < BlockSample::kFirstBytes)
    return layouts;
  for (const Kind& kind : kKinds) {
    const std::size_t each = trace::float_bytes(kind.type);
    for (const std::size_t node_bytes : kNodeBytes) {
      // A number with its tag inside has no other data beside it.
      if (kind.is_tagged ? each != node_bytes : each >= node_bytes)
        continue;
      const std::size_t header =
          (header_bytes(node_bytes) + node_bytes - 1) / node_bytes * node_bytes;
      // Compilers align a number to its size.
      for (std::size_t at = 0; at + each <= node_bytes; at += each) {
        const Layout layout{kind, node_bytes, header + at};
        if (may_be_weights(numbers_at_beginning(block, layout), trace::float_bytes(kind.file_type),
                           kMinNumbers))
          layouts.push_back(layout);
      }
    }
  }
  return layouts;
}

std::vector<NodeSearch::Layout> NodeSearch::layouts_inside(const BlockSample& block,
                                                           const Layout& layout) {
  const std::size_t each = trace::float_bytes(layout.kind.type);
  const std::size_t in_file = trace::float_bytes(layout.kind.file_type);
  std::vector<Layout> layouts;
  for (std::size_t at = 0; at + each <= layout.node_bytes; at += each) {
    const Layout inside{layout.kind, layout.node_bytes, at};
    const auto numbers = numbers_in(block.inner, at, inside);
    if (may_be_weights(numbers, in_file, kMinNumbersInside))
      layouts.push_back(inside);
  }
  return layouts;
}

void NodeSearch::want(const BlockSample& block) {
  if (blocks_ >= kMaxBlocks)
    return;
  ++blocks_;
  for (const Layout& layout : layouts_of(block)) {
    const auto numbers = numbers_at_beginning(block, layout);
    words_.want_pairs(std::span(numbers).first(2 * WordPlaces::kWordBytes));
    for (const Layout& inside : layouts_inside(block, layout)) {
      const auto further = numbers_in(block.inner, inside.begin, inside);
      words_.want_pairs(std::span(further).first(2 * WordPlaces::kWordBytes));
    }
  }
}

std::optional<trace::PackedMatch> NodeSearch::find_as(const BlockSample& block,
                                                      const Layout& layout) const {
  const std::uint64_t in_file = trace::float_bytes(layout.kind.file_type);
  const auto first = numbers_at_beginning(block, layout);
  const std::uint64_t to_inner =
      (block.inner_at - layout.begin + layout.node_bytes - 1) / layout.node_bytes;
  const auto inner =
      numbers_in(block.inner, layout.begin + to_inner * layout.node_bytes - block.inner_at, layout);
  const std::uint64_t in_front = layout.begin / layout.node_bytes * in_file;
  const std::uint64_t room = block.size / layout.node_bytes * in_file;
  for (const FilePlace place : words_.of_pair(first)) {
    const PlainFile& file = *files_[place.file()];
    const std::uint64_t begin = place.offset() - std::min(place.offset(), in_front);
    const bool is_inside =
        (!inner.empty() && file.has_at(place.offset() + to_inner * in_file, inner)) ||
        is_in_pools(block, layout, place);
    if (!is_inside || !file.has_at(place.offset(), first) ||
        room > 2 * (file.size - begin) + BlockSample::kMaxSlackBytes)
      continue;
    trace::PackedMatch match{.allocation = block.allocation,
                             .file = file.id,
                             .offset = begin,
                             .at_ns = block.at_ns,
                             .type = std::string(layout.kind.type),
                             .file_type = std::string(layout.kind.file_type)};
    match.node_bytes = layout.kind.is_tagged ? 0 : layout.node_bytes;
    return match;
  }
  return std::nullopt;
}

bool NodeSearch::is_in_pools(const BlockSample& block,
                             const Layout& layout,
                             FilePlace place) const {
  // The part that headers take: CPython's pools have 48 bytes in 16 KiB, or in 4 KiB, plus what is
  // too little for a node.
  constexpr std::uint64_t kMaxHeaders = 16;
  constexpr std::uint64_t kMinHeaders = 512;
  const std::uint64_t in_file = trace::float_bytes(layout.kind.file_type);
  for (const Layout& inside : layouts_inside(block, layout)) {
    const auto numbers = numbers_in(block.inner, inside.begin, inside);
    const std::uint64_t most =
        (block.inner_at + inside.begin - layout.begin) / layout.node_bytes * in_file;
    for (const FilePlace inner : words_.of_pair(numbers)) {
      // Too large where it is in another file, or in front.
      const std::uint64_t behind = inner.distance_from(place);
      if (behind <= most - most / kMinHeaders && behind >= most - most / kMaxHeaders &&
          files_[inner.file()]->has_at(inner.offset(), numbers))
        return true;
    }
  }
  return false;
}

std::optional<trace::PackedMatch> NodeSearch::find(const BlockSample& block) const {
  std::optional<trace::PackedMatch> found;
  for (const Layout& layout : layouts_of(block)) {
    auto match = find_as(block, layout);
    if (!match)
      continue;
    if (found)
      return std::nullopt;
    found = std::move(match);
  }
  return found;
}

}  // namespace tidemark::weights
