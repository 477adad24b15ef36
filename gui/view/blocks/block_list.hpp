/// The largest blocks of a trace with their whole lives.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

/// A block while it has one size: one that is resized in place is listed once for each size.
struct LongBlock {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  trace::AllocationNumber allocation = 0;  ///< Its number in the trace.
  std::uint64_t bytes = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = kNever;  ///< kNever: alive when the trace ended.
  trace::StackId stack = trace::kNoStack;
  trace::ThreadId thread{0};
  trace::Lane lane = trace::Lane::kHeap;

  /// A block that came and went within one clock tick counts as alive at that tick.
  [[nodiscard]] bool is_alive_at(std::uint64_t ns) const {
    return begin_ns <= ns && (ns < end_ns || (begin_ns == ns && end_ns == ns));
  }
};

struct BlockList {
  std::vector<LongBlock> blocks;  ///< In the footprint lanes, in order of their begin.
  std::uint64_t others = 0;       ///< How many smaller ones are not listed.
  std::uint64_t smallest = 0;     ///< Every block of more bytes is listed.
};

/// The largest block alive at `ns`, the first one of equals; null if none is alive.
const LongBlock* largest_at(const BlockList& list, std::uint64_t ns);

/// Gathers the blocks, one block of events at a time, so that other work can run in between.
/// Memory: at most twice `most` blocks, and one for each small mapping that is alive.
class BlockGatherer {
 public:
  /// `trace` stays borrowed.
  BlockGatherer(analyzer::LoadedTrace& trace, std::size_t most);

  /// Reads one more block of events. @return false when none is left. A damaged one is skipped:
  /// blocks released in it seem to live on.
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
  std::uint64_t threshold_ = 1;  // Smaller blocks are only counted.
  BlockList list_;
  std::unordered_map<std::uint64_t, Slot> alive_;          // Allocation to index in the list.
  std::unordered_map<std::uint64_t, LongBlock> unlisted_;  // Small mappings, which may grow.
};

}  // namespace tidemark::gui
