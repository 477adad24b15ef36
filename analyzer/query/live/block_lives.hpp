/// When the blocks alive at an instant were allocated and freed, and by which threads.
#pragma once

#include "analyzer/query/live/allocation_set.hpp"
#include "analyzer/query/live/block_origins.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// The lives of one group of blocks. Times are since the start of the recording. A block that was
/// reallocated before the instant has the age and the thread of the allocation that it began as.
struct BlockLives {
  std::uint64_t blocks = 0;
  std::uint64_t first_allocated_ns = UINT64_MAX;  ///< UINT64_MAX: no allocation was seen.
  std::uint64_t last_allocated_ns = 0;
  std::uint64_t resized_blocks = 0;             ///< Reallocated until the instant.
  std::uint64_t first_resized_ns = UINT64_MAX;  ///< By the last time of each; UINT64_MAX: none was.
  std::uint64_t last_resized_ns = 0;
  std::uint64_t first_freed_ns = UINT64_MAX;  ///< UINT64_MAX: none of them was freed.
  std::uint64_t last_freed_ns = 0;
  std::uint64_t most_freed_ns = 0;   ///< When nine tenths of the freed bytes were gone.
  std::uint64_t emptied_blocks = 0;  ///< Freed ones that stay as address space without memory.
  std::uint64_t taken_blocks = 0;    ///< Reallocated after the instant by code outside the group:
                                     ///< they live on.
  std::uint64_t taken_bytes = 0;     ///< Their bytes then.
  std::uint64_t first_taken_ns = UINT64_MAX;  ///< UINT64_MAX: none was.
  std::uint64_t last_taken_ns = 0;
  std::uint64_t kept_blocks = 0;                       ///< Never freed, or only with their process.
  std::uint64_t kept_bytes = 0;                        ///< Their bytes at the instant.
  std::uint64_t smallest_bytes = UINT64_MAX;           ///< The smallest block's, at the instant.
  std::uint64_t largest_bytes = 0;                     ///< The same; of several, the first.
  std::uint64_t largest_freed_ns = UINT64_MAX;         ///< UINT64_MAX: it was not freed.
  std::map<trace::ThreadId, std::uint64_t> threads{};  ///< Blocks by the allocating thread.
};

/// Follows the blocks that are alive at an instant through all events: a sink of analyzer::follow.
/// A block that is reallocated after the instant lives on. One that has given back all of its
/// memory counts as freed, unless it grows again. Memory: some 80 bytes for each of the blocks, and
/// 140 for each that was reallocated.
class LiveBlocks {
 public:
  /// The group of an allocation, below the number of groups; none: it is not followed.
  using GroupOf = std::function<std::optional<std::uint32_t>(const trace::Event&)>;

  /// Finds the blocks, see visit_live; their times come with the events.
  LiveBlocks(LoadedTrace& trace, const Instant& at, std::size_t groups, GroupOf group_of);

  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void move(const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  /// Call once, after the last event: blocks that are empty then count as freed, and those that
  /// were reallocated are followed back to their begin, which decodes blocks of events again.
  void finish();

  /// What the events so far say, by group.
  [[nodiscard]] std::span<const BlockLives> lives() const { return lives_; }

  /// Each block with its number and its bytes at the instant.
  void visit(const std::function<void(std::uint32_t group,
                                      trace::AllocationNumber allocation,
                                      std::uint64_t bytes)>& visit) const {
    for (const Block& block : blocks_) {
      visit(block.group, block.allocation, block.bytes);
    }
  }

  /// The block with the most bytes at the instant (the first of several), as a group of its own;
  /// without blocks if none is followed.
  struct Largest {
    trace::AllocationNumber allocation = 0;  ///< Its number at the instant.
    std::uint32_t group = 0;
    BlockLives lives;
  };
  [[nodiscard]] const Largest& largest() const { return largest_; }

 private:
  struct Block {
    trace::AllocationNumber allocation = 0;  ///< Its number at the instant.
    std::uint64_t bytes = 0;                 ///< That it had then.
    std::uint32_t group = 0;
    trace::ThreadId thread{0};
    std::uint64_t bytes_now = 0;
    std::uint64_t emptied_ns = 0;  ///< While `bytes_now` is 0: since when.
    std::uint64_t resized_ns = 0;  ///< When it got its number, if another had it before; or 0.
    bool is_largest = false;       ///< The largest in its group.
    std::uint64_t freed_ns = UINT64_MAX;  ///< UINT64_MAX: it was not.
    bool is_taken = false;                ///< See BlockLives::taken_blocks.
  };

  static bool is_freed(const Block& block) { return block.freed_ns != UINT64_MAX; }
  void find_largest();
  void find_origins();
  void find_most_freed();
  Block* find(trace::AllocationNumber allocation);
  void free(trace::AllocationNumber allocation, std::uint64_t at_ns);
  void free(Block& block, std::uint64_t at_ns);
  template <typename Tell>
  void tell(const Block& block, const Tell& tell);

  GroupOf group_of_;
  BlockOrigins origins_;
  std::vector<BlockLives> lives_;
  Largest largest_;
  AllocationSet followed_;
  std::vector<Block> blocks_;  // By number.
  /// Blocks that have another number by now, by that number; they point into `blocks_`.
  std::unordered_map<trace::AllocationNumber, Block*> moved_;
};

/// The lives of the blocks of a trace that are alive at an instant, by group. Makes one pass over
/// all events; ends early if the trace is stopped.
std::vector<BlockLives> block_lives(LoadedTrace& trace,
                                    const Instant& at,
                                    std::size_t groups,
                                    LiveBlocks::GroupOf group_of);

}  // namespace tidemark::analyzer
