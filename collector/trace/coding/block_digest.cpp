#include "collector/trace/coding/block_digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace tidemark::trace {
namespace {

/// Reads the varints of a column, where decoding a digest spends most of its time: all but the last
/// few are read without bounds checks.
class DigestReader {
 public:
  explicit DigestReader(ByteView column)
      : at_(column.data()), end_(column.data() + column.size()) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  std::uint64_t varint() {
    if (static_cast<std::size_t>(end_ - at_) < kMaxVarintBytes) [[unlikely]]
      return last_varint();
    const auto value = read_varint(at_);
    failed_ |= at_[-1] >= 0x80;
    return value;
  }

 private:
  std::uint64_t last_varint() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    while (at_ != end_) {
      const std::uint64_t byte = *at_++;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
      shift += 7;
    }
    failed_ = true;
    return 0;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool failed_ = false;
};

}  // namespace

void DigestBuilder::begin_block(AllocationNumber first_allocation) {
  first_allocation_ = first_allocation;
  allocations_ = frees_ = mappings_ = flags_ = 0;
  local_count_ = 0;
  releases_.clear();
}

void DigestBuilder::release_part(AllocationNumber allocation, std::int64_t bytes) {
  const auto local = allocation - first_allocation_;
  if (local < local_count_)
    locals_[local].bytes -= static_cast<std::uint64_t>(bytes);
  else if (bytes != 0)
    releases_.push_back({.allocation = allocation, .part_bytes = bytes});
}

void DigestBuilder::other(EventKind kind) {
  flags_ |= kDigestHasOthers;
  if (kind == EventKind::kReleaseAll || kind == EventKind::kProcessEnd)
    flags_ |= kDigestHasEnds;
}

/// Stable sort by allocation. Random releases have numbers far from each other: sorted, they take a
/// third of the bytes.
void DigestBuilder::sort_releases() {
  if (std::ranges::is_sorted(releases_, {}, &BlockDigest::Release::allocation))
    return;
  std::uint64_t lowest = first_allocation_;
  for (const auto& release : releases_)
    lowest = std::min(lowest, release.allocation);
  // Radix sort from the last digit on, as there are too many for a comparison sort. Keys are the
  // distance from the lowest number, with its index.
  constexpr unsigned kPlaceBits = 20;
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  const auto range_bits = static_cast<unsigned>(std::bit_width(first_allocation_ - lowest));
  static_assert(kMaxBlockEvents < std::size_t{1} << kPlaceBits);
  if (range_bits > 64 - kPlaceBits)
    return;
  keys_.clear();
  for (const auto& release : releases_)
    keys_.push_back((release.allocation - lowest) << kPlaceBits | keys_.size());
  sorted_keys_.resize(keys_.size());
  for (unsigned shift = kPlaceBits; shift < kPlaceBits + range_bits; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> places{};
    for (const std::uint64_t key : keys_)
      ++places[key >> shift & (kDigits - 1)];
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint32_t{0});
    for (const std::uint64_t key : keys_)
      sorted_keys_[places[key >> shift & (kDigits - 1)]++] = key;
    keys_.swap(sorted_keys_);
  }
  sorted_.clear();
  for (const std::uint64_t key : keys_)
    sorted_.push_back(releases_[key & ((std::uint64_t{1} << kPlaceBits) - 1)]);
  releases_.swap(sorted_);
}

ByteView DigestBuilder::finish() {
  sort_releases();
  std::uint8_t* at = column_.get();
  for (const auto value : {allocations_, frees_, mappings_, flags_, releases_.size()})
    at = write_varint(at, value);
  auto expected = first_allocation_;
  for (const auto& release : releases_) {
    at = write_varint(at, zigzag(release.allocation - expected));
    at = write_varint(at, zigzag(static_cast<std::uint64_t>(release.part_bytes)));
    expected = release.allocation + 1;
  }
  std::uint64_t before = 0;  // Allocations since the last survivor.
  for (const auto& local : std::span(locals_.get(), local_count_)) {
    if (local.owner == Local::kGone) {
      ++before;
      continue;
    }
    at = write_varint(at, before);
    at = write_varint(at, local.stack);
    at = write_varint(at, local.owner);
    at = write_varint(at, local.bytes);
    before = 0;
  }
  return {column_.get(), at};
}

bool decode_digest(ByteView column,
                   const DigestLimits& limits,
                   DigestUse use,
                   BlockDigest& digest) {
  digest.survivors.clear();
  digest.releases.clear();
  DigestReader reader(column);
  digest.allocations = reader.varint();
  digest.frees = reader.varint();
  digest.mappings = reader.varint();
  const auto flags = reader.varint();
  digest.has_others = (flags & kDigestHasOthers) != 0;
  digest.has_ends = (flags & kDigestHasEnds) != 0;
  if (use == DigestUse::kComplete && digest.has_others)
    return false;
  const auto release_count = reader.varint();
  if (reader.failed() || release_count > limits.event_count)
    return false;
  digest.releases.reserve(release_count);
  auto expected = limits.first_allocation;
  for (std::uint64_t i = 0; i < release_count && !reader.failed(); ++i) {
    const auto allocation = expected + unzigzag(reader.varint());
    const auto part_bytes = static_cast<std::int64_t>(unzigzag(reader.varint()));
    if (allocation >= limits.first_allocation)
      return false;
    digest.releases.push_back({.allocation = allocation, .part_bytes = part_bytes});
    expected = allocation + 1;
  }
  auto next = limits.first_allocation;
  while (!reader.at_end() && !reader.failed()) {
    const auto allocation = next + reader.varint();
    const auto stack = reader.varint();
    const auto thread_and_lane = reader.varint();
    const auto bytes = reader.varint();
    const auto thread = thread_and_lane >> kDigestLaneBits;
    const auto lane = thread_and_lane & kLaneMask;
    if (allocation < next || allocation - limits.first_allocation >= limits.event_count ||
        thread >= limits.threads || lane >= kLaneCount)
      return false;
    digest.survivors.push_back(
        {.allocation = allocation,
         .bytes = bytes,
         .stack = stack < limits.stacks ? StackId{static_cast<std::uint32_t>(stack)} : kNoStack,
         .thread = ThreadId{static_cast<std::uint32_t>(thread)},
         .lane = static_cast<Lane>(lane)});
    next = allocation + 1;
  }
  return !reader.failed();
}

}  // namespace tidemark::trace
