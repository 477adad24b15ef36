/// What a stretch of time allocated, and what of it was gone at its end.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "gui/view/trees/named_stacks.hpp"

#include <cstdint>
#include <unordered_map>

namespace tidemark::gui {

/// Follows the events of [begin_ns, end_ns], one block of events at a time. Memory grows with the
/// blocks that are alive at once.
class RangeUse {
 public:
  /// `trace` stays borrowed.
  RangeUse(analyzer::LoadedTrace& trace, std::uint64_t begin_ns, std::uint64_t end_ns);

  /// @return false when the range is done. A damaged block is passed over.
  bool step();
  /// By stack; `freed` of each weight counts only what this range itself had allocated.
  NamedStacks take();

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
  struct Row {
    trace::StackId stack = trace::kNoStack;
    trace::Lane lane = trace::Lane::kHeap;
    Weight weight;
  };

  Row& row(trace::StackId stack, trace::Lane lane);

  analyzer::LoadedTrace& trace_;
  std::uint64_t begin_ns_;
  std::uint64_t end_ns_;
  std::size_t next_ = 0;
  std::unordered_map<std::uint64_t, Held> held_;  // By allocation.
  std::unordered_map<std::uint64_t, Row> rows_;   // By stack and lane.
};

}  // namespace tidemark::gui
