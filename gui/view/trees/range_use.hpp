/// What a stretch of time allocated, what of it was gone at its end, and all that it gave back.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "gui/view/trees/named_stacks.hpp"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::gui {

/// Follows the events of [begin_ns, end_ns], one block of events at a time. Memory grows with the
/// blocks that are alive at once.
///
/// Invariant, in a trace that lacks no events: the footprint at `to` is that at `from`, and all
/// bytes, less all that were given back.
class RangeUse {
 public:
  /// `trace` stays borrowed.
  RangeUse(analyzer::LoadedTrace& trace, std::uint64_t begin_ns, std::uint64_t end_ns);

  /// @return false when the range is done. A damaged block is passed over. The last step looks at
  /// what was alive when the range began, if any of that changed in it.
  bool step();
  /// By stack; `freed` of each weight counts only what this range itself had allocated, what an
  /// older block grew by among it.
  NamedStacks take();
  /// Right before the range, and right behind it.
  [[nodiscard]] const analyzer::Instant& from() const { return from_; }
  [[nodiscard]] const analyzer::Instant& to() const { return to_; }

  // See analyzer::follow.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);

 private:
  struct Held {
    trace::StackId stack = trace::kNoStack;
    trace::Lane lane = trace::Lane::kHeap;
    trace::ThreadId thread{0};
    std::uint64_t bytes = 0;
  };
  /// What the range did to a block that is older than it.
  struct Change {
    std::uint64_t grown = 0;
    std::uint64_t parts_freed = 0;
    bool has_ended = false;
  };
  struct Row {
    trace::StackId stack = trace::kNoStack;
    trace::Lane lane = trace::Lane::kHeap;
    Weight weight;
  };

  void follow_block(std::size_t block);
  void add_older();
  void add_older(const trace::Event& allocation, std::uint64_t bytes);
  Row& row(trace::StackId stack, trace::Lane lane);
  void end(const Held& held);

  analyzer::LoadedTrace& trace_;
  analyzer::Instant from_;
  analyzer::Instant to_;
  std::size_t next_ = 0;
  std::unordered_map<std::uint64_t, Held> held_;     // By allocation.
  std::unordered_map<std::uint64_t, Change> older_;  // The same.
  std::unordered_set<std::uint64_t> emptied_;        // Process and lane.
  std::unordered_map<std::uint64_t, Row> rows_;      // By stack and lane.
};

}  // namespace tidemark::gui
