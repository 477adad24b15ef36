#include "collector/drain/tables/address_table.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace tidemark {
namespace {

// A word: allocation:40 | size:24
constexpr unsigned kSizeBits = 24;
constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << kSizeBits) - 1;
/// kNoAllocation as a word has it.
constexpr std::uint64_t kNone = ~std::uint64_t{0} >> kSizeBits;

std::uint64_t pack(const LiveBlock& block) {
  const std::uint64_t number =
      block.allocation == LiveBlock::kNoAllocation ? kNone : block.allocation;
  return number << kSizeBits | block.size;
}

LiveBlock unpack(std::uint64_t word) {
  const std::uint64_t number = word >> kSizeBits;
  return {number == kNone ? LiveBlock::kNoAllocation : number, word & kSizeMask};
}

}  // namespace

inline bool AddressTable::is_scattered(std::uint64_t address, const LiveBlock& block) {
  return block.size > kSizeMask || address % (std::uint64_t{1} << kGranuleBits) != 0 ||
         (block.allocation >= kNone && block.allocation != LiveBlock::kNoAllocation);
}

/// Another block begins in the slot that `granule` would be in, if a slot were 2^bits granules.
inline bool AddressTable::Page::is_slot_taken(unsigned granule, unsigned bits) const {
  const unsigned first = granule >> bits << bits;
  const unsigned granules = 1U << bits;
  if (granules >= 64)
    return std::ranges::any_of(begins.begin() + first / 64,
                               begins.begin() + (first + granules) / 64,
                               [](std::uint64_t some) { return some != 0; });
  return (begins[first / 64] >> (first % 64) & ((std::uint64_t{1} << granules) - 1)) != 0;
}

AddressTable::Entry& AddressTable::add_region(std::uint64_t address) {
  if ((region_count_ + 1) * 2 > regions_.size()) {
    constexpr std::size_t kFirst = 64;
    std::vector<Entry> old =
        std::exchange(regions_, std::vector<Entry>(std::max(kFirst, regions_.size() * 2)));
    for (Entry& entry : old) {
      if (entry.key != 0)
        regions_[find_place(entry.key)] = std::move(entry);
    }
  }
  ++region_count_;
  last_key_ = (address >> kRegionBits) + 1;
  last_place_ = find_place(last_key_);
  regions_[last_place_].key = last_key_;
  return regions_[last_place_];
}

/// Slots as small as the page now needs them, and as large as a new page's blocks let them be.
void AddressTable::make_room(Page& page, unsigned granule, std::uint64_t size) {
  unsigned bits = page.slot_bits;
  if (page.count == 0) {
    // What allocators need beside: two blocks of this size are no closer, as a rule.
    constexpr std::uint64_t kBeside = 8;
    const std::uint64_t granules = (size + kBeside) >> kGranuleBits;
    bits = std::min(static_cast<unsigned>(std::bit_width(granules | 1U)) - 1, kGranulesInPageBits);
  } else {
    while (bits != 0 && page.is_slot_taken(granule, bits))
      --bits;
  }
  if (page.words != nullptr && bits == page.slot_bits)
    return;
  std::uint64_t* words = arrays_.take(WordArrays::kMaxWords >> bits);
  for (unsigned part = 0; part < page.begins.size(); ++part) {
    for (std::uint64_t left = page.begins[part]; left != 0; left &= left - 1) {
      const unsigned begin = part * 64 + static_cast<unsigned>(std::countr_zero(left));
      words[begin >> bits] = page.words[page.slot_of(begin)];
    }
  }
  if (page.words != nullptr)
    arrays_.give_back(page.words, page.slots());
  page.words = words;
  page.slot_bits = static_cast<std::uint8_t>(bits);
}

inline std::optional<LiveBlock> AddressTable::take_from(Page& page, unsigned granule) {
  if (!page.has(granule))
    return std::nullopt;
  page.begins[granule / 64] &= ~(std::uint64_t{1} << (granule % 64));
  --page.count;
  --count_;
  return unpack(page.words[page.slot_of(granule)]);
}

inline void AddressTable::put(Page& page, unsigned granule, const LiveBlock& block) {
  page.words[page.slot_of(granule)] = pack(block);
  page.begins[granule / 64] |= std::uint64_t{1} << (granule % 64);
  ++page.count;
  ++count_;
}

std::optional<LiveBlock> AddressTable::insert(std::uint64_t address, LiveBlock block) {
  // Nearly always: a block in a page whose slots are known, where no block is.
  if (Page* const page = find_last_page(address);
      page != nullptr && !is_scattered(address, block)) {
    const unsigned granule = granule_of(address);
    if (page->words != nullptr && !page->is_slot_taken(granule, page->slot_bits)) {
      put(*page, granule, block);
      return std::nullopt;
    }
  }
  return insert_anywhere(address, block);
}

std::optional<LiveBlock> AddressTable::insert_anywhere(std::uint64_t address,
                                                       const LiveBlock& block) {
  if (address == 0)
    return std::nullopt;
  Entry* const known = find_region(address);
  Entry& region = known != nullptr ? *known : add_region(address);
  std::optional<LiveBlock> before;
  if (region.may_have_scattered(address) && (before = scattered_.take(address)))
    region.remove_scattered();
  const unsigned granule = granule_of(address);
  Page* page = region.pages != nullptr ? &(*region.pages)[address >> kPageBits & 0xFFU] : nullptr;
  if (page != nullptr && address % (std::uint64_t{1} << kGranuleBits) == 0 && page->has(granule))
      [[unlikely]]
    before = take_from(*page, granule);
  if (is_scattered(address, block) ||
      (page == nullptr && !is_worth_pages(region, address, block))) {
    scattered_.insert(address, block);
    region.add_scattered(address);
    return before;
  }
  if (page == nullptr) {
    add_pages(region, address);
    page = &(*region.pages)[address >> kPageBits & 0xFFU];
  }
  put_in_page(*page, granule, block);
  return before;
}

void AddressTable::put_in_page(Page& page, unsigned granule, const LiveBlock& block) {
  if (page.count == 0 || page.is_slot_taken(granule, page.slot_bits))
    make_room(page, granule, block.size);
  put(page, granule, block);
}

/// Of a region without them, where `block` is about to come. Counted are blocks that came, not
/// those that are there: a place where few live at one time is as busy as any other.
bool AddressTable::is_worth_pages(Entry& region, std::uint64_t address, const LiveBlock& block) {
  constexpr std::uint32_t kFewBlocks = 16;
  if (block.size < kPageBytes && ++region.small_blocks > kFewBlocks)
    return true;
  if (region.early_count < Entry::kMaxEarly)
    region.early[region.early_count++] =
        static_cast<std::uint16_t>(address >> kGranuleBits & 0xFFFFU);
  return false;
}

/// @param address any in the region.
void AddressTable::add_pages(Entry& region, std::uint64_t address) {
  static_assert(kRegionBits - kGranuleBits == 16, "a granule's number in its region fits `early`");
  region.pages = std::make_unique<Region>();
  const std::uint64_t begin = address >> kRegionBits << kRegionBits;
  for (const std::uint64_t granule : std::span(region.early).first(region.early_count)) {
    const std::uint64_t at = begin + (granule << kGranuleBits);
    // One came several times, or went, or something else is there.
    const auto block = scattered_.take(at);
    if (!block)
      continue;
    if (is_scattered(at, *block)) {
      scattered_.insert(at, *block);
      continue;
    }
    region.remove_scattered();
    put_in_page((*region.pages)[at >> kPageBits & 0xFFU], granule_of(at), *block);
  }
}

std::optional<LiveBlock> AddressTable::take(std::uint64_t address) {
  Entry* region = find_region(address);
  if (region == nullptr)
    return std::nullopt;
  if (region->pages != nullptr && address % (std::uint64_t{1} << kGranuleBits) == 0) {
    if (const auto block =
            take_from((*region->pages)[address >> kPageBits & 0xFFU], granule_of(address)))
      return block;
  }
  if (!region->may_have_scattered(address))
    return std::nullopt;
  const auto block = scattered_.take(address);
  if (block)
    region->remove_scattered();
  return block;
}

}  // namespace tidemark
