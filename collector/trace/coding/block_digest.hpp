/// What a block of events changed, without its events: see "Digest" in FORMAT.md.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/format.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tidemark::trace {

/// Enough to compute who holds what at the end of any block: most allocations are released before
/// their block ends, and are not in here.
struct BlockDigest {
  /// An allocation of this block that is alive at its end, unless a kReleaseAll released it.
  struct Survivor {
    AllocationNumber allocation = 0;
    std::uint64_t bytes = 0;  ///< At the block's end, after partial releases and growth.
    StackId stack = kNoStack;
    ThreadId thread{0};
    Lane lane = Lane::kHeap;
  };
  /// An allocation of an earlier block that was released in this one, in part or whole, or that
  /// grew.
  struct Release {
    AllocationNumber allocation = 0;
    std::int64_t part_bytes = 0;  ///< Released bytes; negative: growth. 0: all that was left.
  };

  std::uint64_t allocations = 0;  ///< Heap and device allocations; a realloc counts as one.
  std::uint64_t frees = 0;        ///< Heap and device releases; a realloc counts as one.
  std::uint64_t mappings = 0;     ///< New anonymous and shared mappings.
  /// The block has events that the digest does not cover: other kinds, or file mappings.
  bool has_others = false;
  /// Among them are kReleaseAll or kProcessEnd, which release survivors of any block.
  bool has_ends = false;
  std::vector<Survivor> survivors;
  std::vector<Release> releases;
};

/// Limits on ids in a digest; ids beyond them become "none", as in events.
struct DigestLimits {
  AllocationNumber first_allocation = 0;
  std::uint32_t event_count = 0;
  std::uint32_t threads = 0;
  std::uint32_t stacks = 0;
};

enum class DigestUse {
  kAny,
  kComplete,  ///< Only if it covers all events of its block: not if it `has_others`.
};

/// Gathers the digest of a block while its events are encoded.
class DigestBuilder {
 public:
  /// An allocation of the block. Four per cache line: written in order, read at random.
  struct Local {
    static constexpr std::uint32_t kGone = ~std::uint32_t{0};

    std::uint64_t bytes;  ///< What is left of it.
    std::uint32_t stack;
    std::uint32_t owner;  ///< Thread and lane as in the digest; kGone: released.
  };
  static_assert(sizeof(Local) == 16);

  /// For blocks of at most `max_events` events. Memory is not touched before it is needed.
  explicit DigestBuilder(std::size_t max_events)
      : locals_(std::make_unique_for_overwrite<Local[]>(max_events)),
        column_(std::make_unique_for_overwrite<std::uint8_t[]>(
            kMaxDigestBytes + kMaxDigestBytesPerEvent * max_events)) {}

  void begin_block(AllocationNumber first_allocation);
  void allocate(const Event& event) {
    if (!is_mapped(event.lane))
      ++allocations_;
    else if (in_footprint(event.lane))
      ++mappings_;
    if (event.lane == Lane::kFile || event.lane == Lane::kDevice)
      flags_ |= kDigestHasOthers;
    locals_[local_count_++] = local_of(event.size, event.stack, event.thread, event.lane);
  }
  /// All of `allocation` is released.
  void release(Lane lane, AllocationNumber allocation) {
    frees_ += is_mapped(lane) ? 0U : 1U;
    if (lane == Lane::kDevice)
      flags_ |= kDigestHasOthers;
    const auto local = allocation - first_allocation_;
    if (local < local_count_)
      locals_[local].owner = Local::kGone;
    else
      release_older(allocation);
  }
  /// `bytes` of `allocation` are released, or added if negative; the rest stays alive.
  void release_part(AllocationNumber allocation, std::int64_t bytes);
  void other(EventKind kind);

  /// For a heap run, whose allocations and frees the caller writes itself, in block order from
  /// `local_count_` on.
  [[nodiscard]] Local* locals() { return locals_.get(); }
  [[nodiscard]] const Local* locals() const { return locals_.get(); }
  static Local local_of(std::uint64_t bytes, StackId stack, ThreadId thread, Lane lane) {
    return {.bytes = bytes,
            .stack = index(stack),
            .owner = index(thread) << kDigestLaneBits | static_cast<std::uint32_t>(lane)};
  }
  /// An allocation of an earlier block is released.
  void release_older(AllocationNumber allocation) {
    releases_.push_back({.allocation = allocation});
  }
  /// Counts such a run: new locals, and frees.
  void count_run(std::uint64_t allocations, std::uint64_t frees) {
    allocations_ += allocations;
    local_count_ += allocations;
    frees_ += frees;
  }

  /// Ends the block. @return its column, valid until the next block ends.
  [[nodiscard]] ByteView finish();

 private:
  void sort_releases();

  AllocationNumber first_allocation_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t mappings_ = 0;
  std::uint64_t flags_ = 0;
  std::unique_ptr<Local[]> locals_;
  std::uint64_t local_count_ = 0;
  std::vector<BlockDigest::Release> releases_;
  std::unique_ptr<std::uint8_t[]> column_;
  // Buffers reused for sorting.
  std::vector<BlockDigest::Release> sorted_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> sorted_keys_;
};

/// @return false if the column is malformed or not of that `use`; `digest` is then unspecified.
bool decode_digest(ByteView column, const DigestLimits& limits, DigestUse use, BlockDigest& digest);

}  // namespace tidemark::trace
