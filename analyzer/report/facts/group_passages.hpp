/// Bytes that came into and went out of groups of blocks alive at an instant.
#pragma once

#include "analyzer/query/live/block_lives.hpp"
#include "analyzer/stacks/block_passages.hpp"
#include "analyzer/tensors/values_held.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Sees all events of a trace in order, and follows each block that recorded reads, copies or fills
/// can go to or from, including what it was resized from and to.
///
/// Memory: some 100 bytes for each live block that has 64 KiB or more, is no heap block, or was a
/// destination.
class GroupPassages {
 public:
  /// `trace` stays borrowed.
  GroupPassages(const LoadedTrace& trace, std::size_t groups, LiveBlocks::GroupOf group_of);

  void see(const trace::Event& event);
  /// Call once, when all events before the instant were seen: blocks alive now belong to their
  /// groups, whatever happens to them later.
  /// @param own a block that is also reported individually.
  void reach_instant(trace::AllocationNumber own);
  /// All that was seen of a group's blocks, from their begin to their end, in the order of the
  /// first bytes. The group is empty afterwards.
  std::vector<BlockPassage> take(std::size_t group);
  /// The same of the one block.
  std::vector<BlockPassage> take_own();
  /// What the blocks of a group into which nothing was seen to come held at the instant, recognised
  /// by values alone. Call after `finish`.
  /// @param contents of that instant.
  [[nodiscard]] ValuesHeld values_of(std::size_t group, const BlockContents& contents) const;
  /// Call after the last event.
  void finish();

  // See analyzer::follow.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void move(const trace::Event& event);
  void resize(trace::AllocationNumber, std::int64_t, const trace::Event&) {}
  void end_all(const trace::Event& event);

 private:
  /// And the file, or the allocation at the other end.
  using Key = std::tuple<BlockPassage::Kind, std::uint64_t>;
  using Passages = std::map<Key, BlockPassage>;

  struct Block {
    BlockPassage::Other self;
    trace::Lane lane = trace::Lane::kHeap;
    trace::ThreadId thread{0};
    std::optional<std::uint32_t> group_now{};  ///< The group of its stack.
    std::optional<std::uint32_t> group{};      ///< The group that it had at the instant.
    bool is_own = false;                       ///< See reach_instant.
    BlockPassage::Other at_instant{};          ///< The block then.
    Passages passages{};
  };

  Block* find(trace::AllocationNumber allocation);
  void touch(const trace::Event& event);
  void pass(Block& block, BlockPassage::Kind kind, std::uint64_t other, const trace::Event& event);
  void fold(const Block& block);
  static std::vector<BlockPassage> taken(Passages& passages);

  const LoadedTrace& trace_;
  LiveBlocks::GroupOf group_of_;
  AllocationSet known_;
  std::unordered_map<trace::AllocationNumber, Block> blocks_;
  std::unordered_map<std::uint32_t, std::uint64_t> last_files_;  // By thread: of its last read.
  std::vector<Passages> groups_;
  Passages own_;
  /// Blocks into which nothing came, in their state at the instant, by group.
  std::vector<std::vector<BlockPassage::Other>> unseen_;
};

/// A group of blocks that are alive at an instant.
struct FollowedGroup {
  BlockLives lives;
  std::vector<BlockPassage> passages{};
  ValuesHeld values{};
  /// Those that its blocks hold at the instant, each once.
  std::vector<TensorPart> tensors{};
};

struct FollowedGroups {
  std::vector<FollowedGroup> groups;
  /// The largest of all blocks, see LiveBlocks::Largest.
  trace::AllocationNumber largest = 0;
  std::uint32_t largest_group = 0;
  FollowedGroup own{};  ///< It alone.
};

/// Makes one pass over all events; ends early if the trace is stopped.
FollowedGroups follow_groups(LoadedTrace& trace,
                             const Instant& at,
                             std::size_t groups,
                             const LiveBlocks::GroupOf& group_of);

/// `came into it: 61.0 MiB read from m/rf.joblib, 14 times from 4.542 s to 4.793 s`,
/// `72.0 MiB of it hold ..., by their values`, `went out of it: ...`; a line each, with the first
/// few places. The tensors that lie in them come first, `in them: 24 tensors, const_0 to const_23`,
/// where their values do not tell them.
std::vector<std::string> passage_lines(const trace::Definitions& definitions,
                                       const FollowedGroup& group);

/// The tensors that a block of so many bytes holds at an instant: `in it: model/wte, f16: 98.2
/// MiB`; if there are several, a line each for the first few. Empty if none is known.
std::vector<std::string> tensor_lines(const trace::Definitions& definitions,
                                      trace::AllocationNumber allocation,
                                      std::uint64_t bytes,
                                      std::uint64_t at_ns);

}  // namespace tidemark::analyzer
