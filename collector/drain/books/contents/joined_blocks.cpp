#include "collector/drain/books/contents/joined_blocks.hpp"

#include "collector/weights/searches/word_places.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tidemark {
namespace {

using weights::WordPlaces;

constexpr std::size_t kMaxParts = 64;
/// What is compared at a place.
constexpr std::size_t kPlaceBytes = 64;
/// Behind the values of a part, as a string's last byte.
constexpr std::uint64_t kMaxSlack = 64;
/// Behind those of the whole.
constexpr std::uint64_t kMaxSlackOfWhole = 4096;
constexpr std::uint64_t kMaxRowBytes = std::uint64_t{256} << 10U;
/// The first row of the first part may end, and that of the second begin, at each multiple of this.
constexpr std::uint64_t kRowStep = 4;
using PlaceBytes = std::array<std::byte, kPlaceBytes>;

std::uint64_t key_of(std::span<const std::byte> bytes) {
  std::uint64_t key = 0;
  std::memcpy(&key, bytes.data(), sizeof key);
  return key;
}

struct Part {
  BeginningBlock block;
  std::uint64_t header = 0;
  std::uint64_t begin = 0;      ///< Where its first row is in the whole.
  std::uint64_t row_bytes = 0;  ///< Length of one of its own rows.
  PlaceBytes first{};           ///< The bytes that its values begin with.

  [[nodiscard]] std::uint64_t values() const { return block.size - header; }
};

/// The parts of one whole, as they are found from its beginning on.
class Search {
 public:
  Search(const JoinedWhole& whole,
         std::uint64_t header,
         const BlockBeginnings& beginnings,
         const JoinedMemory& memory)
      : whole_(whole),
        values_at_(whole.block.address + header),
        values_bytes_(whole.block.size - header),
        beginnings_(beginnings),
        memory_(memory) {
    if (auto first = part_at(whole.first.subspan(header), 0, 0))
      parts_.push_back(*first);
  }

  [[nodiscard]] bool begins_as_another() const { return !parts_.empty(); }

  /// Values that count up again and again match at every place.
  [[nodiscard]] bool are_periodic() const {
    return std::ranges::adjacent_find(parts_, {}, &Part::first) != parts_.end();
  }

  /// Whether they are those of the whole.
  bool find_all() {
    if (find_behind_each_other())
      return are_as_in_whole();
    if (parts_.size() > 1)
      return false;
    return find_rows() && are_as_in_whole();
  }

  [[nodiscard]] std::vector<trace::Joined> take() const {
    std::vector<trace::Joined> joined;
    for (const Part& part : parts_)
      joined.push_back({.allocation = part.block.allocation,
                        .of = whole_.block.allocation,
                        .begin = part.begin + (values_at_ - whole_.block.address),
                        .bytes = rows_ * part.row_bytes,
                        .rows = rows_,
                        .at_ns = whole_.at_ns});
    return joined;
  }

 private:
  [[nodiscard]] bool is_new(const BeginningBlock& block) const {
    return block.allocation != whole_.block.allocation &&
           std::ranges::none_of(parts_, [&block](const Part& part) {
             return part.block.allocation == block.allocation;
           });
  }

  /// A block whose values begin with `bytes` from `at` on, which are in the whole at `begin`.
  [[nodiscard]] std::optional<Part> part_at(std::span<const std::byte> bytes,
                                            std::size_t at,
                                            std::uint64_t begin) const {
    for (const std::uint64_t header : kValueHeaders) {
      const std::size_t key_at = at + BlockBeginnings::kKeyAt - header;
      if (key_at + BlockBeginnings::kKeyBytes > bytes.size())
        continue;
      for (const BeginningBlock& block : beginnings_.with(bytes.subspan(key_at))) {
        if (auto part = part_of(block, header, bytes.subspan(at), begin))
          return part;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Part> part_of(const BeginningBlock& block,
                                            std::uint64_t header,
                                            std::span<const std::byte> bytes,
                                            std::uint64_t begin) const {
    const auto size = is_new(block) ? memory_.size_of(block) : std::nullopt;
    if (!size || *size <= header || *size - header > values_bytes_ + kMaxSlack - begin)
      return std::nullopt;
    const bool is_another_whole = *size - header + kMaxSlackOfWhole >= values_bytes_;
    PlaceBytes place;
    if (is_another_whole || bytes.size() < place.size() ||
        !WordPlaces::tell_apart(bytes.first(place.size())) ||
        !memory_.read(block.address + header, place) ||
        !std::ranges::equal(place, bytes.first(place.size())))
      return std::nullopt;
    return Part{{block.allocation, block.address, *size}, header, begin, 0, place};
  }

  /// Each begins where the one before ends.
  bool find_behind_each_other() {
    rows_ = 1;
    while (true) {
      Part& last = parts_.back();
      const std::uint64_t end = last.begin + last.values();
      last.row_bytes = std::min(last.values(), values_bytes_ - last.begin);
      if (end + kMaxSlackOfWhole >= values_bytes_)
        return parts_.size() > 1;
      if (parts_.size() == kMaxParts)
        return false;
      auto next = part_behind(end);
      if (!next)
        return false;
      last.row_bytes = next->begin - last.begin;
      parts_.push_back(*next);
    }
  }

  /// What begins in the whole at `end`, or a little before.
  [[nodiscard]] std::optional<Part> part_behind(std::uint64_t end) const {
    std::array<std::byte, kMaxSlack + 2 * kPlaceBytes> window;
    if (end < kMaxSlack || end + 2 * kPlaceBytes > values_bytes_ ||
        !memory_.read(values_at_ + end - kMaxSlack, window))
      return std::nullopt;
    for (std::uint64_t slack = 0; slack <= kMaxSlack; ++slack) {
      if (auto part = part_at(window, kMaxSlack - slack, end - slack))
        return part;
    }
    return std::nullopt;
  }

  /// The second part begins where the first row of the first one ends: that gives the number of
  /// rows.
  bool find_rows() {
    Part& first = parts_.front();
    auto second = second_in_row(first);
    if (!second || first.values() % second->begin != 0)
      return false;
    first.row_bytes = second->begin;
    rows_ = first.values() / first.row_bytes;
    std::uint64_t end = first.row_bytes;
    for (auto next = second; next; next = part_at_in_row(end)) {
      next->row_bytes = next->values() / rows_;
      if (next->values() % rows_ != 0 || next->row_bytes < kPlaceBytes)
        return false;
      end += next->row_bytes;
      parts_.push_back(*next);
      if (end > values_bytes_ / rows_ || parts_.size() > kMaxParts)
        return false;
      if (end * rows_ + kMaxSlackOfWhole >= values_bytes_)
        return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<Part> second_in_row(const Part& first) const {
    std::vector<std::byte> row(
        std::min({kMaxRowBytes + 2 * kPlaceBytes, first.values(), values_bytes_}));
    if (row.size() < 2 * kPlaceBytes || !memory_.read(values_at_, row))
      return std::nullopt;
    const std::span<const std::byte> bytes(row);
    for (std::size_t key_at = kPlaceBytes; key_at + BlockBeginnings::kKeyBytes <= row.size();
         key_at += kRowStep) {
      for (const BeginningBlock& block : beginnings_.with(bytes.subspan(key_at))) {
        for (const std::uint64_t header : kValueHeaders) {
          const std::uint64_t at = key_at - (BlockBeginnings::kKeyAt - header);
          if (at < kPlaceBytes || first.values() % at != 0)
            continue;
          if (auto part = part_of(block, header, bytes.subspan(at), at))
            return part;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Part> part_at_in_row(std::uint64_t begin) const {
    std::array<std::byte, 2 * kPlaceBytes> window;
    if (begin + window.size() > values_bytes_ || !memory_.read(values_at_ + begin, window))
      return std::nullopt;
    return part_at(window, 0, begin);
  }

  [[nodiscard]] bool are_as_in_whole() const {
    std::uint64_t whole_row = 0;
    for (const Part& part : parts_)
      whole_row += part.row_bytes;
    return std::ranges::all_of(parts_,
                               [&](const Part& part) { return is_as_in_whole(part, whole_row); });
  }

  /// Compares at a third, at four fifths, and at the end; at least one of the places must be
  /// telling.
  [[nodiscard]] bool is_as_in_whole(const Part& part, std::uint64_t whole_row) const {
    const std::uint64_t bytes = rows_ * part.row_bytes;
    if (part.row_bytes < kPlaceBytes)
      return false;
    bool tells = false;
    for (const std::uint64_t at : {bytes / 3, bytes / 5 * 4, bytes - kPlaceBytes}) {
      const std::uint64_t row = at / part.row_bytes;
      const std::uint64_t column = std::min(at % part.row_bytes, part.row_bytes - kPlaceBytes);
      PlaceBytes own;
      PlaceBytes there;
      const std::uint64_t own_at = part.block.address + part.header + row * part.row_bytes + column;
      if (!memory_.read(own_at, own) ||
          !memory_.read(values_at_ + part.begin + row * whole_row + column, there) || own != there)
        return false;
      tells = tells || WordPlaces::tell_apart(own);
    }
    return tells;
  }

  const JoinedWhole& whole_;
  std::uint64_t values_at_;     ///< An address.
  std::uint64_t values_bytes_;  ///< With what may be behind them.
  const BlockBeginnings& beginnings_;
  const JoinedMemory& memory_;
  std::vector<Part> parts_;
  std::uint64_t rows_ = 1;
};

}  // namespace

void BlockBeginnings::add(const BeginningBlock& block, std::span<const std::byte> first) {
  const std::uint64_t key = key_of(first.subspan(kKeyAt));
  if (key >> 32U == (key & UINT32_MAX))
    return;
  auto& alike = blocks_[key];
  if (alike.size() >= kMaxAlike)
    return;
  alike.push_back(block);
  ++count_;
}

std::span<const BeginningBlock> BlockBeginnings::with(std::span<const std::byte> bytes) const {
  const auto found = blocks_.find(key_of(bytes));
  return found == blocks_.end() ? std::span<const BeginningBlock>() : found->second;
}

void BlockBeginnings::sweep(const std::function<bool(const BeginningBlock&)>& is_there) {
  count_ = 0;
  for (auto& [key, blocks] : blocks_) {
    std::erase_if(blocks, [&is_there](const BeginningBlock& block) { return !is_there(block); });
    count_ += blocks.size();
  }
  std::erase_if(blocks_, [](const auto& entry) { return entry.second.empty(); });
  swept_at_ = std::max(kMinSweptBlocks, 2 * count_);
}

JoinedBlocks find_joined_blocks(const JoinedWhole& whole,
                                const BlockBeginnings& beginnings,
                                const JoinedMemory& memory) {
  JoinedBlocks found;
  std::size_t reads = 0;
  const JoinedMemory bounded{.read =
                                 [&](std::uint64_t address, std::span<std::byte> into) {
                                   return ++reads <= kMaxReads && memory.read(address, into);
                                 },
                             .size_of = memory.size_of};
  for (const std::uint64_t header : kValueHeaders) {
    if (whole.block.size <= header)
      break;
    Search search(whole, header, beginnings, bounded);
    if (!search.begins_as_another())
      continue;
    found.state = JoinedState::kNotTold;
    const bool has_all = search.find_all();
    if (search.are_periodic())
      break;
    if (has_all) {
      found.state = JoinedState::kIsJoined;
      found.parts = search.take();
      break;
    }
  }
  found.has_read = reads != 0;
  return found;
}

}  // namespace tidemark
