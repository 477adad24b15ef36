#include "collector/weights/searches/byte_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include <unistd.h>

namespace tidemark::weights {
namespace {

constexpr std::size_t kKeyBytes = 9;  ///< The bytes that have eight differences.
constexpr std::size_t kHeaderFloats = 32;
constexpr std::size_t kMinDifferentBytes = 8;
constexpr int kMaxDifference = 255;
/// In units of the scale. A float32 of 255 times the scale is rounded to much less than this; of
/// twelve values that are no multiples, at least one is farther off.
constexpr double kByteTolerance = 1e-3;
constexpr unsigned kPlaceBits = 48;
constexpr std::uint64_t kMaxBlockSlack = 4096 + 128;

std::uint64_t eight_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, bytes.data() + at, sizeof eight);
  return eight;
}

/// Differences of each byte to the next one, modulo 256.
void list_differences(std::span<const std::byte> bytes, std::vector<std::byte>& differences) {
  differences.resize(bytes.empty() ? 0 : bytes.size() - 1);
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] = static_cast<std::byte>(static_cast<unsigned>(bytes[i + 1]) -
                                            static_cast<unsigned>(bytes[i]));
}

/// 20 bits: as many as `may_be_wanted_` has.
std::size_t hash_of_key(std::uint64_t key) {
  return key * 11'400'714'819'323'198'485U >> 44U;
}

bool is_multiple(double value, double of) {
  const double times = value / of;
  // A call would be too slow here.
  const auto whole = static_cast<int>(times + (times < 0 ? -0.5 : 0.5));
  return std::abs(times - whole) <= kByteTolerance;
}

/// The largest number that all of them are whole multiples of, no more than 255 times it.
std::optional<double> scale_of(std::span<const double> differences) {
  double most = 0;
  for (const double difference : differences) {
    if (!std::isfinite(difference))
      return std::nullopt;
    most = std::max(most, std::abs(difference));
  }
  if (most == 0)
    return std::nullopt;
  for (int times = 1; times <= kMaxDifference; ++times) {
    const double scale = most / times;
    if (std::ranges::all_of(differences, [&](double it) { return is_multiple(it, scale); }))
      return scale;
  }
  return std::nullopt;
}

/// Whether the floats lie as far apart as the whole numbers do, times the scale.
template <typename Byte>
bool are_made_of(std::span<const std::byte> bytes, std::span<const float> values, double scale) {
  const auto number = [&](std::size_t i) {
    return static_cast<double>(static_cast<Byte>(bytes[i]));
  };
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double expected = scale * (number(i) - number(0));
    if (std::abs(static_cast<double>(values[i]) - values[0] - expected) > kByteTolerance * scale)
      return false;
  }
  return true;
}

/// How many different bytes the floats were made from. Arbitrary floats are also multiples of some
/// scale, but most of them are nothing beside the largest.
std::size_t different_bytes(std::span<const float> values, double scale) {
  std::set<std::int64_t> different;
  for (const float value : values)
    different.insert(std::llround((static_cast<double>(value) - values.front()) / scale));
  return different.size();
}

std::vector<float> floats_of_sample(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace

std::optional<ByteSearch::Row> ByteSearch::row_of(std::span<const float> values,
                                                  std::uint64_t element) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i)
    differences.push_back(static_cast<double>(values[i]) - values[i - 1]);
  const auto scale = scale_of(differences);
  if (!scale || different_bytes(values, *scale) < kMinDifferentBytes)
    return std::nullopt;
  Row row{.element = element, .scale = *scale, .values = {values.begin(), values.end()}};
  for (std::size_t i = 0; i + 1 < kKeyBytes; ++i) {
    const auto times = static_cast<std::int64_t>(std::llround(differences[i] / *scale));
    row.key |= (static_cast<std::uint64_t>(times) & 0xffU) << (8 * i);
  }
  return row;
}

/// The first row from `at` on with a single scale; if groups of 32 each have one, the row is in one
/// group.
std::optional<ByteSearch::Row> ByteSearch::first_row_in(std::span<const std::byte> bytes,
                                                        std::size_t at,
                                                        std::uint64_t element) {
  const auto values = floats_of_sample(bytes);
  for (; at + Row::kFloats <= values.size(); ++at) {
    if (auto row = row_of(std::span(values).subspan(at, Row::kFloats), element + at))
      return row;
  }
  return std::nullopt;
}

std::optional<ByteSearch::Rows> ByteSearch::rows_of(const BlockSample& block) {
  if (block.first_count < BlockSample::kFirstBytes)
    return std::nullopt;
  auto inner = first_row_in(block.inner, 0, block.inner_at / sizeof(float));
  if (!inner)
    return std::nullopt;
  auto first = first_row_in(block.first, kHeaderFloats, 0);
  return first ? std::optional(Rows{std::move(*first), std::move(*inner)}) : std::nullopt;
}

void ByteSearch::want(const BlockSample& block) {
  if (blocks_ >= OrderSearch::kMaxBlocks)
    return;
  ++blocks_;
  const auto rows = rows_of(block);
  if (!rows)
    return;
  for (const std::uint64_t key : {rows->first.key, rows->inner.key}) {
    places_.try_emplace(key);
    begin_wanted_[key & 0xffffU] = 1;  // x86-64: its first two differences.
    may_be_wanted_[hash_of_key(key)] = true;
  }
}

void ByteSearch::read(const PlainFile& file) {
  const Place first = static_cast<Place>(files_.size()) << kPlaceBits;
  files_.push_back(&file);
  read_pieces(file, kKeyBytes - 1, kMaxFileBytes, bytes_read_,
              [&](std::span<const std::byte> piece, std::uint64_t at) { take(piece, first + at); });
}

void ByteSearch::take(std::span<const std::byte> bytes, Place begin) {
  list_differences(bytes, differences_);
  const std::span<const std::byte> differences = differences_;
  const std::span<const std::uint8_t> begin_wanted = begin_wanted_;
  for (std::size_t at = 0; at + kKeyBytes <= bytes.size(); ++at) {
    std::uint16_t beginning = 0;
    std::memcpy(&beginning, differences.data() + at, sizeof beginning);
    if (begin_wanted[beginning] == 0) [[likely]]
      continue;
    const std::uint64_t key = eight_at(differences, at);
    if (!may_be_wanted_[hash_of_key(key)])
      continue;
    const auto wanted = places_.find(key);
    if (wanted != places_.end() && wanted->second.size() <= kMaxPlaces)
      wanted->second.push_back(begin + at);
  }
}

std::span<const ByteSearch::Place> ByteSearch::places_of(std::uint64_t key) const {
  const auto found = places_.find(key);
  return found == places_.end() || found->second.size() > kMaxPlaces
             ? std::span<const Place>()
             : std::span<const Place>(found->second);
}

std::optional<std::string_view> ByteSearch::type_at(const Row& row, Place place) const {
  std::array<std::byte, Row::kFloats> bytes{};
  const auto offset = static_cast<off_t>(place & ((std::uint64_t{1} << kPlaceBits) - 1));
  const int file = files_[place >> kPlaceBits]->file.number();
  if (::pread(file, bytes.data(), bytes.size(), offset) != std::ssize(bytes))
    return std::nullopt;
  if (are_made_of<std::int8_t>(bytes, row.values, row.scale))
    return "i8";
  return are_made_of<std::uint8_t>(bytes, row.values, row.scale)
             ? std::optional<std::string_view>("u8")
             : std::nullopt;
}

std::optional<trace::PackedMatch> ByteSearch::find(const BlockSample& block) const {
  const auto rows = is_empty() ? std::nullopt : rows_of(block);
  if (!rows)
    return std::nullopt;
  const std::uint64_t floats = rows->inner.element - rows->first.element;
  for (const Place inner : places_of(rows->inner.key)) {
    for (const Place first : places_of(rows->first.key)) {
      const std::uint64_t bytes = inner - first;  // Modulo 2^64, and of two files far apart.
      const PlainFile& file = *files_[first >> kPlaceBits];
      const std::uint64_t offset = first & ((std::uint64_t{1} << kPlaceBits) - 1);
      if (bytes < floats || bytes > floats + floats / 4 ||
          offset + block.size / sizeof(float) > file.size + kMaxBlockSlack)
        continue;
      const auto type = type_at(rows->inner, inner);
      if (!type || !type_at(rows->first, first))
        continue;
      return trace::PackedMatch{.allocation = block.allocation,
                                .file = file.id,
                                .offset = offset - std::min(offset, rows->first.element),
                                .distance = 0,
                                .at_ns = block.at_ns,
                                .type = "f32",
                                .file_type = std::string(*type)};
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::weights
