/// The largest blocks of a trace with their whole lives.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

/// A block, or what one held until part of it was released.
struct LongBlock {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  trace::AllocationNumber allocation = 0;  ///< Its number in the trace.
  std::uint64_t bytes = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = kNever;  ///< kNever: alive when the trace ended.
  trace::StackId stack = trace::kNoStack;
  trace::ThreadId thread{0};
  trace::Lane lane = trace::Lane::kHeap;

  /// What came and went within one tick of the clock was alive at it.
  [[nodiscard]] bool is_alive_at(std::uint64_t ns) const {
    return begin_ns <= ns && (ns < end_ns || (begin_ns == ns && end_ns == ns));
  }
};

struct BlockList {
  std::vector<LongBlock> blocks;  ///< Of the footprint lanes, in order of their begin.
  std::uint64_t others = 0;       ///< How many smaller ones are not listed.
  std::uint64_t smallest = 0;     ///< Bytes above which every block is listed.
};

/// The largest that is alive then, the first of several; null: none is.
const LongBlock* largest_at(const BlockList& list, std::uint64_t ns);

/// Gathers the blocks, one block of events at a time, so that other work can come in between.
/// Memory: at most twice `most` blocks at a time, and one for each small mapping that is alive.
class BlockGatherer {
 public:
  /// `trace` stays borrowed.
  BlockGatherer(analyzer::LoadedTrace& trace, std::size_t most);

  /// Goes on by one block of events. @return false when there are none left. A damaged one is
  /// passed over: what was released in it seems to live on.
  bool step();
  BlockList take();

  // See analyzer::follow.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);

 private:
  using Slot = std::size_t;

  void list(const LongBlock& block);
  void drop_smaller_half();

  analyzer::LoadedTrace& trace_;
  std::size_t most_;
  std::size_t next_ = 0;
  std::uint64_t threshold_ = 1;  // Smaller ones are counted only.
  BlockList list_;
  std::unordered_map<std::uint64_t, Slot> alive_;          // Allocation to index in the list.
  std::unordered_map<std::uint64_t, LongBlock> unlisted_;  // Small mappings, which may grow.
};

}  // namespace tidemark::gui
