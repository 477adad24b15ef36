#include "collector/drain/tables/address_table.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace tidemark {

bool AddressTable::Page::is_large_slot_taken(unsigned first, unsigned granules) const {
  return std::ranges::any_of(begins.begin() + first / 64, begins.begin() + (first + granules) / 64,
                             [](std::uint64_t some) { return some != 0; });
}

bool AddressTable::Entry::may_have_in(std::uint64_t begin, std::uint64_t end) const {
  for (std::uint64_t page = begin >> kPageBits; page <= (end - 1) >> kPageBits; ++page) {
    const std::uint64_t address = page << kPageBits;
    if (may_have_scattered(address) || (pages != nullptr && (*pages)[page & 0xFFU].count != 0))
      return true;
  }
  return false;
}

bool AddressTable::may_have_in(std::uint64_t begin, std::uint64_t end) const {
  return begin < end && std::ranges::any_of(regions_, [&](const Entry& region) {
           if (region.key == 0)
             return false;
           const std::uint64_t first = (region.key - 1) << kRegionBits;
           const std::uint64_t from = std::max(begin, first);
           const std::uint64_t to = std::min(end, first + (std::uint64_t{1} << kRegionBits));
           return from < to && region.may_have_in(from, to);
         });
}

bool AddressTable::has_had_others_in(std::uint64_t begin,
                                     std::uint64_t end,
                                     std::span<const std::uint64_t> known) const {
  constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << kRegionBits;
  if (regions_.empty())
    return false;
  auto next = std::ranges::lower_bound(known, begin / kRegionBytes * kRegionBytes);
  for (std::uint64_t first = begin / kRegionBytes * kRegionBytes; first < end;
       first += kRegionBytes) {
    std::uint64_t here = 0;
    for (; next != known.end() && *next < first + kRegionBytes; ++next)
      ++here;
    const Entry& region = regions_[find_place((first >> kRegionBits) + 1)];
    if (region.key == 0)
      continue;
    if (region.pages != nullptr || region.has_had_heap || here != region.scattered)
      return true;
  }
  return false;
}

void AddressTable::forget_unmapped(std::span<const PageRange> mapped) {
  for (Entry& region : regions_) {
    if (!region.has_had_heap || region.pages != nullptr || region.scattered != 0)
      continue;
    const std::uint64_t first = (region.key - 1) << kRegionBits;
    const auto area = std::ranges::upper_bound(mapped, first, {}, &PageRange::end);
    if (area != mapped.end() && area->begin < first + (std::uint64_t{1} << kRegionBits))
      continue;
    region.has_had_heap = false;
    region.small_blocks = 0;
    region.early_count = 0;
  }
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

AddressTable::Region* AddressTable::new_region_pages() {
  static_assert(kSmallChunkBytes % sizeof(Region) == 0 && kLargeChunkBytes % sizeof(Region) == 0);
  if (pages_left_ == 0) {
    constexpr std::size_t kLargeFromBytes = std::size_t{512} << 10U;  // 32 MiB of small blocks
    const std::size_t bytes = next_chunk_bytes(region_bytes_, kLargeFromBytes);
    region_chunks_.push_back(make_table_chunk(bytes));
    next_pages_ = region_chunks_.back().get();
    pages_left_ = bytes / sizeof(Region);
    region_bytes_ += bytes;
  }
  --pages_left_;
  return new (std::exchange(next_pages_, next_pages_ + sizeof(Region))) Region();
}

/// Shrinks the slots as far as the page now needs; a new page gets the largest that its first
/// block's size suggests.
void AddressTable::make_room(Page& page, unsigned granule, std::uint64_t size) {
  unsigned bits = page.slot_bits;
  if (page.count == 0) {
    // Allocator overhead: as a rule two blocks of this size are at least this much further apart.
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

bool AddressTable::insert_anywhere(std::uint64_t address,
                                   const LiveBlock& block,
                                   LiveBlock& replaced) {
  if (address == 0)
    return false;
  Entry* const known = find_region(address);
  Entry& region = known != nullptr ? *known : add_region(address);
  region.has_had_heap = region.has_had_heap || !is_alone(address, block.size);
  bool is_replaced = false;
  if (region.may_have_scattered(address) && scattered_.take(address, replaced)) {
    region.remove_scattered();
    is_replaced = true;
  }
  const unsigned granule = granule_of(address);
  Page* page = region.pages != nullptr ? &(*region.pages)[address >> kPageBits & 0xFFU] : nullptr;
  if (page != nullptr && address % (std::uint64_t{1} << kGranuleBits) == 0 &&
      take_from(*page, granule, replaced))
    is_replaced = true;
  if (is_scattered(address, block) ||
      (page == nullptr && !is_worth_pages(region, address, block))) {
    scattered_.insert(address, block);
    region.add_scattered(address);
    return is_replaced;
  }
  if (page == nullptr) {
    add_pages(region, address);
    page = &(*region.pages)[address >> kPageBits & 0xFFU];
  }
  put_in_page(*page, granule, block);
  return is_replaced;
}

void AddressTable::put_in_page(Page& page, unsigned granule, const LiveBlock& block) {
  if (page.count == 0 || page.is_slot_taken(granule, page.slot_bits))
    make_room(page, granule, block.size);
  put(page, granule, block);
}

/// For a region without pages, to which `block` is about to be added. Counts all blocks that came,
/// not the live ones: a region with few at a time may be as busy as any other.
bool AddressTable::is_worth_pages(Entry& region, std::uint64_t address, const LiveBlock& block) {
  constexpr std::uint32_t kFewBlocks = 16;
  if (block.size < kPageBytes && ++region.small_blocks > kFewBlocks)
    return true;
  if (region.early_count < Entry::kMaxEarly)
    region.early[region.early_count++] =
        static_cast<std::uint16_t>(address >> kGranuleBits & 0xFFFFU);
  return false;
}

/// @param address any address in the region.
void AddressTable::add_pages(Entry& region, std::uint64_t address) {
  static_assert(kRegionBits - kGranuleBits == 16, "a granule's number in its region fits `early`");
  region.pages = new_region_pages();
  const std::uint64_t begin = address >> kRegionBits << kRegionBits;
  for (const std::uint64_t granule : std::span(region.early).first(region.early_count)) {
    const std::uint64_t at = begin + (granule << kGranuleBits);
    // The granule may be listed twice, or its block be gone or another one.
    LiveBlock block;
    if (!scattered_.take(at, block))
      continue;
    if (is_scattered(at, block)) {
      scattered_.insert(at, block);
      continue;
    }
    region.remove_scattered();
    put_in_page((*region.pages)[at >> kPageBits & 0xFFU], granule_of(at), block);
  }
}

bool AddressTable::take_scattered(std::uint64_t address, LiveBlock& taken) {
  Entry* const region = find_region(address);
  if (region == nullptr || !region->may_have_scattered(address) || !scattered_.take(address, taken))
    return false;
  region->remove_scattered();
  return true;
}

}  // namespace tidemark
