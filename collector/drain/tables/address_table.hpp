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

/// Small blocks lie page by page, as they do in the host: neighbours there are neighbours here, and
/// a block is found without a search. A page has a bit for each of its granules of 16 bytes where a
/// block may begin, and a word for each slot: as many granules as no two blocks of the page share.
/// So a block costs 8 to 16 bytes and its part of the page's line.
///
/// Odd addresses, huge blocks and huge numbers are in a table of their own. So are the first blocks
/// of each MiB of addresses, until so many small ones came that it is worth its pages: those that
/// are still there move into them. Address 0 cannot be stored. Memory of blocks that went is kept
/// for the next.
class AddressTable {
 public:
  /// @param replaced the block that was there under the same address, if there was one.
  /// @return whether one was replaced.
  bool insert(std::uint64_t address, const LiveBlock& block, LiveBlock& replaced) {
    // Nearly always: a block in a page whose slots are known, where no block is.
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
  /// By reference, and in two words: an optional is put together in memory from parts of different
  /// sizes, and a processor that is asked for the whole waits until all of them have got there.
  bool take(std::uint64_t address, LiveBlock& taken) {
    Page* const page = find_page(address);
    if (page != nullptr && address % (std::uint64_t{1} << kGranuleBits) == 0 &&
        take_from(*page, granule_of(address), taken)) [[likely]]
      return true;
    return take_scattered(address, taken);
  }
  [[nodiscard]] std::size_t size() const { return count_ + scattered_.size(); }
  /// Whether a block begins in [begin, end), or, of those that are not kept by page, near it: in
  /// the same 16 KiB.
  [[nodiscard]] bool may_have_in(std::uint64_t begin, std::uint64_t end) const;
  /// Whether an allocator's memory is in [begin, end), or within a MiB of it: another block than
  /// the live ones at `known` begins there, or one that was not alone in its mapping has ever begun
  /// there. Not remembered is what was there before `forget_unmapped` found nothing mapped.
  /// @param known in order.
  [[nodiscard]] bool has_had_others_in(std::uint64_t begin,
                                       std::uint64_t end,
                                       std::span<const std::uint64_t> known) const;
  /// Libc maps such a large block for itself alone, and unmaps it when it is freed: it begins
  /// behind a header, which alignment makes longer. One block in 64 looks so by chance.
  static bool is_alone(std::uint64_t address, std::uint64_t size) {
    constexpr std::uint64_t kLeast = std::uint64_t{128} << 10U;
    const std::uint64_t header = address % kPageBytes;
    return size >= kLeast && header <= 64 && (header & (header - 1)) == 0;
  }
  /// Where nothing is mapped now, the next that comes is not what has been.
  /// @param mapped all that is, in order.
  void forget_unmapped(std::span<const PageRange> mapped);

  /// Two blocks that will be asked for: one soon, and one somewhat later. Worth a word in a table
  /// that no cache holds: the later one's page comes near, and then the sooner one's word in it.
  ///
  /// Inlined early: g++ takes a function that does nothing but prefetch for one without effects,
  /// and leaves out the calls of it.
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
  /// LiveBlock::kNoAllocation as a word has it.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0} >> kSizeBits;

  /// A line of its own.
  struct alignas(64) Page {
    std::array<std::uint64_t, 4> begins{};  ///< A bit for each granule where a block begins.
    std::uint64_t* words = nullptr;         ///< By slot; owned by `arrays_`.
    std::uint16_t count = 0;
    std::uint8_t slot_bits = 0;  ///< A slot is so many granules, as a power of two.

    [[nodiscard]] std::size_t slot_of(unsigned granule) const { return granule >> slot_bits; }
    [[nodiscard]] std::size_t slots() const { return WordArrays::kMaxWords >> slot_bits; }
    [[nodiscard]] bool has(unsigned granule) const {
      return (begins[granule / 64] >> (granule % 64) & 1U) != 0;
    }
    /// Another block begins in the slot that `granule` would be in, if a slot were 2^bits granules.
    [[nodiscard]] bool is_slot_taken(unsigned granule, unsigned bits) const {
      const unsigned first = granule >> bits << bits;
      const unsigned granules = 1U << bits;
      if (granules >= 64) [[unlikely]]
        return is_large_slot_taken(first, granules);
      return (begins[first / 64] >> (first % 64) & ((std::uint64_t{1} << granules) - 1)) != 0;
    }
    /// The same of 64 granules or more.
    [[nodiscard]] bool is_large_slot_taken(unsigned first, unsigned granules) const;
  };
  using Region = std::array<Page, std::size_t{1} << (kRegionBits - kPageBits)>;
  struct Entry {
    static constexpr std::size_t kMaxEarly = 32;

    std::uint64_t key = 0;        ///< Number of the region, and 1.
    Region* pages = nullptr;      ///< In `region_chunks_`.
    std::uint32_t scattered = 0;  ///< Blocks that begin in it and are not in `pages`.
    bool has_had_heap = false;    ///< A block that was not alone in its mapping has begun there.
    std::uint64_t where_scattered = 0;  ///< By 64ths of it: one of those may begin here.
    /// Before it has pages: small blocks that came, and in which granules of it blocks came that
    /// will have their place there.
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
  /// The page of `address`, where its region is the one that was found last, and no block of the
  /// table beside may begin there.
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
  std::uint64_t last_key_ = 0;  ///< The region that was found last, and its place.
  std::size_t last_place_ = 0;
  std::vector<TableChunk> region_chunks_;
  std::byte* next_pages_ = nullptr;  ///< In the last of them.
  std::size_t pages_left_ = 0;       ///< Regions' that it has room for.
  std::size_t region_bytes_ = 0;     ///< In all chunks.
  WordArrays arrays_;
  std::size_t count_ = 0;  ///< In pages.
  ScatteredBlocks scattered_;
};

}  // namespace tidemark
