/// The live heap blocks of one process, by address.
#pragma once

#include "collector/drain/tables/live_block.hpp"
#include "collector/drain/tables/scattered_blocks.hpp"
#include "collector/drain/tables/table_chunk.hpp"
#include "collector/drain/tables/word_arrays.hpp"
#include "collector/os/page_range.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark {

/// Small blocks are stored page by page, as in the host: neighbours there are neighbours here, and
/// a block is found without a search. A page has a bit for each granule of 16 bytes in which a
/// block may begin, and a word for each slot: the most granules that still keep all blocks of the
/// page in different slots. So a block costs 8 to 16 bytes and its part of the page's line.
///
/// Odd addresses, huge blocks and huge numbers are in a separate table. So are the first blocks of
/// each MiB of addresses, until enough small ones came to make its pages worthwhile: then those
/// still live move there. Address 0 cannot be stored. Memory of removed blocks is reused.
class AddressTable {
 public:
  /// @param replaced the block that was stored under the same address, if any.
  /// @return whether one was replaced.
  bool insert(std::uint64_t address, const LiveBlock& block, LiveBlock& replaced) {
    // The usual case: a free slot in a page that has slots.
    if (Page* const page = find_last_page(address);
        page != nullptr && !is_scattered(address, block)) [[likely]] {
      const unsigned granule = granule_of(address);
      if (page->words != nullptr && !page->is_slot_taken(granule, page->slot_bits)) [[likely]] {
        put(*page, granule, block);
        return false;
      }
    }
    return insert_anywhere(address, block, replaced);
  }
  /// Removes the block at `address`. @return false: there was none, and `taken` is as before.
  ///
  /// By reference, as two words: an optional is built in memory from stores of different sizes, and
  /// a load of the whole then stalls until all of them have completed.
  bool take(std::uint64_t address, LiveBlock& taken) {
    Page* const page = find_page(address);
    if (page != nullptr && address % (std::uint64_t{1} << kGranuleBits) == 0 &&
        take_from(*page, granule_of(address), taken)) [[likely]]
      return true;
    return take_scattered(address, taken);
  }
  [[nodiscard]] std::size_t size() const { return count_ + scattered_.size(); }
  /// Whether a block begins in [begin, end). For blocks not kept by page, the answer is for the
  /// surrounding 16 KiB.
  [[nodiscard]] bool may_have_in(std::uint64_t begin, std::uint64_t end) const;
  /// Whether an allocator's memory is in [begin, end), or within a MiB of it: a live block not in
  /// `known` begins there, or a block that shared its mapping has ever begun there. What was there
  /// before `forget_unmapped` found nothing mapped does not count.
  /// @param known in order.
  [[nodiscard]] bool has_had_others_in(std::uint64_t begin,
                                       std::uint64_t end,
                                       std::span<const std::uint64_t> known) const;
  /// True if libc gives such a large block a mapping of its own, unmapped when it is freed: it
  /// begins after a header, which alignment lengthens. One block in 64 looks like this by chance.
  static bool is_alone(std::uint64_t address, std::uint64_t size) {
    constexpr std::uint64_t kMinAloneBytes = std::uint64_t{128} << 10U;
    const std::uint64_t header = address % kPageBytes;
    return size >= kMinAloneBytes && header <= 64 && (header & (header - 1)) == 0;
  }
  /// Forgets what was in ranges that are no longer mapped.
  /// @param mapped all mapped ranges, in order.
  void forget_unmapped(std::span<const PageRange> mapped);

  /// Prefetches two blocks that will be looked up, one soon and one later: the later one's page,
  /// and the sooner one's word. Does nothing while the table is small enough to be cached.
  ///
  /// Inlined early: g++ considers a function that only prefetches to have no effect, and drops
  /// calls to it.
  [[gnu::always_inline]] void expect(std::uint64_t soon, std::uint64_t later) {
    constexpr std::size_t kCached = std::size_t{1} << 14;
    if (count_ < kCached)
      return;
    if (const Page* page = find_page(later))
      __builtin_prefetch(page);
    if (const Page* page = find_page(soon); page != nullptr && page->words != nullptr)
      __builtin_prefetch(&page->words[page->slot_of(granule_of(soon))]);
  }

 private:
  static constexpr unsigned kGranuleBits = 4;
  static constexpr unsigned kPageBits = 12;
  static constexpr unsigned kRegionBits = 20;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;
  static constexpr unsigned kGranulesInPageBits = kPageBits - kGranuleBits;
  // A word: allocation:40 | size:24
  static constexpr unsigned kSizeBits = 24;
  static constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << kSizeBits) - 1;
  /// LiveBlock::kNoAllocation as stored in a word.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0} >> kSizeBits;

  /// One cache line.
  struct alignas(64) Page {
    std::array<std::uint64_t, 4> begins{};  ///< A bit for each granule where a block begins.
    std::uint64_t* words = nullptr;         ///< By slot; owned by `arrays_`.
    std::uint16_t count = 0;
    std::uint8_t slot_bits = 0;  ///< log2 of the granules in a slot.

    [[nodiscard]] std::size_t slot_of(unsigned granule) const { return granule >> slot_bits; }
    [[nodiscard]] std::size_t slots() const { return WordArrays::kMaxWords >> slot_bits; }
    [[nodiscard]] bool has(unsigned granule) const {
      return (begins[granule / 64] >> (granule % 64) & 1U) != 0;
    }
    /// Whether another block begins in the slot of `granule`, if a slot had 2^bits granules.
    [[nodiscard]] bool is_slot_taken(unsigned granule, unsigned bits) const {
      const unsigned first = granule >> bits << bits;
      const unsigned granules = 1U << bits;
      if (granules >= 64) [[unlikely]]
        return is_large_slot_taken(first, granules);
      return (begins[first / 64] >> (first % 64) & ((std::uint64_t{1} << granules) - 1)) != 0;
    }
    /// The same for slots of 64 granules or more.
    [[nodiscard]] bool is_large_slot_taken(unsigned first, unsigned granules) const;
  };
  using Region = std::array<Page, std::size_t{1} << (kRegionBits - kPageBits)>;
  struct Entry {
    static constexpr std::size_t kMaxEarly = 32;

    std::uint64_t key = 0;              ///< Number of the region + 1.
    Region* pages = nullptr;            ///< In `region_chunks_`.
    std::uint32_t scattered = 0;        ///< Blocks that begin in it and are not in `pages`.
    bool has_had_heap = false;          ///< A block sharing its mapping has begun there.
    std::uint64_t where_scattered = 0;  ///< A bit per 64th: one of those may begin there.
    /// Before it has pages: how many small blocks came, and the granules of blocks that will move
    /// to the pages.
    std::uint32_t small_blocks = 0;
    std::uint32_t early_count = 0;
    std::array<std::uint16_t, kMaxEarly> early{};

    [[nodiscard]] bool may_have_scattered(std::uint64_t address) const {
      return (where_scattered >> (address >> (kRegionBits - 6) & 63U) & 1U) != 0;
    }
    [[nodiscard]] bool may_have_in(std::uint64_t begin, std::uint64_t end) const;
    void add_scattered(std::uint64_t address) {
      ++scattered;
      where_scattered |= std::uint64_t{1} << (address >> (kRegionBits - 6) & 63U);
    }
    void remove_scattered() {
      if (--scattered == 0)
        where_scattered = 0;
    }
  };

  static unsigned granule_of(std::uint64_t address) {
    return static_cast<unsigned>(address >> kGranuleBits) & 0xFFU;
  }
  static bool is_scattered(std::uint64_t address, const LiveBlock& block) {
    return block.size > kSizeMask || address % (std::uint64_t{1} << kGranuleBits) != 0 ||
           (block.allocation >= kNone && block.allocation != LiveBlock::kNoAllocation);
  }
  static std::uint64_t pack(const LiveBlock& block) {
    const std::uint64_t number =
        block.allocation == LiveBlock::kNoAllocation ? kNone : block.allocation;
    return number << kSizeBits | block.size;
  }
  static LiveBlock unpack(std::uint64_t word) {
    const std::uint64_t number = word >> kSizeBits;
    return {number == kNone ? LiveBlock::kNoAllocation : number, word & kSizeMask};
  }

  /// The place of a region in `regions_`, or the empty one where it would go.
  [[nodiscard]] std::size_t find_place(std::uint64_t key) const {
    const std::size_t mask = regions_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32U) & mask;
    while (regions_[at].key != 0 && regions_[at].key != key)
      at = (at + 1) & mask;
    return at;
  }
  Entry* find_region(std::uint64_t address) {
    const std::uint64_t key = (address >> kRegionBits) + 1;
    if (key == last_key_) [[likely]]
      return &regions_[last_place_];
    if (regions_.empty())
      return nullptr;
    const std::size_t place = find_place(key);
    if (regions_[place].key == 0)
      return nullptr;
    last_key_ = key;
    last_place_ = place;
    return &regions_[place];
  }
  Page* find_page(std::uint64_t address) {
    Entry* region = find_region(address);
    return region != nullptr && region->pages != nullptr
               ? &(*region->pages)[address >> kPageBits & 0xFFU]
               : nullptr;
  }
  /// The page of `address`, if its region is the last one found and no block of `scattered_` may
  /// begin there.
  Page* find_last_page(std::uint64_t address) {
    if ((address >> kRegionBits) + 1 != last_key_) [[unlikely]]
      return nullptr;
    const Entry& region = regions_[last_place_];
    return region.pages != nullptr && !region.may_have_scattered(address)
               ? &(*region.pages)[address >> kPageBits & 0xFFU]
               : nullptr;
  }
  bool insert_anywhere(std::uint64_t address, const LiveBlock& block, LiveBlock& replaced);
  bool take_scattered(std::uint64_t address, LiveBlock& taken);
  void put(Page& page, unsigned granule, const LiveBlock& block) {
    page.words[page.slot_of(granule)] = pack(block);
    page.begins[granule / 64] |= std::uint64_t{1} << (granule % 64);
    ++page.count;
    ++count_;
  }
  bool take_from(Page& page, unsigned granule, LiveBlock& taken) {
    if (!page.has(granule))
      return false;
    page.begins[granule / 64] &= ~(std::uint64_t{1} << (granule % 64));
    --page.count;
    --count_;
    taken = unpack(page.words[page.slot_of(granule)]);
    return true;
  }
  void put_in_page(Page& page, unsigned granule, const LiveBlock& block);
  bool is_worth_pages(Entry& region, std::uint64_t address, const LiveBlock& block);
  void add_pages(Entry& region, std::uint64_t address);
  Entry& add_region(std::uint64_t address);
  Region* new_region_pages();
  void make_room(Page& page, unsigned granule, std::uint64_t size);

  std::vector<Entry> regions_;  ///< Open addressing; regions stay.
  std::size_t region_count_ = 0;
  std::uint64_t last_key_ = 0;  ///< The region found last, and its place.
  std::size_t last_place_ = 0;
  std::vector<TableChunk> region_chunks_;
  std::byte* next_pages_ = nullptr;  ///< Next free space in the last of them.
  std::size_t pages_left_ = 0;       ///< Number of regions that still fit there.
  std::size_t region_bytes_ = 0;     ///< In all chunks.
  WordArrays arrays_;
  std::size_t count_ = 0;  ///< In pages.
  ScatteredBlocks scattered_;
};

}  // namespace tidemark
