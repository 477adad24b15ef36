/// What a range of time allocated, how much of that was gone at its end, and all that it gave back,
/// apart from what ended with a process.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "gui/view/trees/named_stacks.hpp"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark::gui {

/// Memory that ended with its process, not by a call.
struct EndedUse {
  std::uint64_t bytes = 0;      ///< Bytes in the footprint.
  std::uint64_t processes = 0;  ///< How many of them held any.
  std::uint64_t last_ns = 0;    ///< When the last of them ended.
};

/// Follows the events of [begin_ns, end_ns], one block of events at a time. Memory grows with the
/// blocks that are alive at once.
///
/// A resize counts as the bytes gained or lost, even if the block moves. Bytes gained belong to the
/// stack that let the block grow, and are the first to go when it shrinks.
///
/// Invariant, in a trace that lacks no events: the footprint at `to` is that at `from` plus all
/// bytes allocated minus all bytes given back and those that ended with their process.
class RangeUse {
 public:
  /// `trace` stays borrowed.
  RangeUse(analyzer::LoadedTrace& trace, std::uint64_t begin_ns, std::uint64_t end_ns);

  /// @return false when the range is done. A damaged block is skipped. The last step looks up the
  /// older blocks, those alive when the range began, if any of them changed.
  bool step();
  /// By stack. `freed` counts only what the range itself had allocated, including what older blocks
  /// grew by.
  NamedStacks take();
  /// What ended with a process: nothing of it was given back.
  [[nodiscard]] EndedUse ended() const;
  /// Right before the range, and right after it.
  [[nodiscard]] const analyzer::Instant& from() const { return from_; }
  [[nodiscard]] const analyzer::Instant& to() const { return to_; }

  // See analyzer::follow.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void move(const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);

 private:
  /// What a block grew by.
  struct Part {
    bool is_of_older = false;  ///< By the stack of an older block, not known yet.
    trace::StackId stack = trace::kNoStack;
    std::uint64_t bytes = 0;
  };
  struct Held {
    trace::StackId stack = trace::kNoStack;
    trace::Lane lane = trace::Lane::kHeap;
    trace::ThreadId thread{0};
    bool is_older = false;             ///< Older than the range: only what it grew by is known.
    std::uint64_t bytes = 0;           ///< Without what it grew by; 0 if older.
    trace::AllocationNumber first{0};  ///< Its first number in the range.
    std::vector<Part> grown{};
  };
  /// What the range did to an older block.
  struct Change {
    Weight weight;                     ///< What it grew by.
    std::uint64_t own_given_back = 0;  ///< Given back of what it had before.
    bool has_ended = false;            ///< All of that was given back.
  };
  enum class Going : std::uint8_t { kGivenBack, kWithProcess };
  struct Row {
    trace::StackId stack = trace::kNoStack;
    trace::Lane lane = trace::Lane::kHeap;
    Weight weight;
  };

  void follow_block(std::size_t block);
  void add_older();
  void add_older(const trace::Event& allocation, std::uint64_t bytes);
  Row& row(trace::StackId stack, trace::Lane lane);
  Weight& weight_of(const Held& held, const Part& part);
  Held& find(trace::AllocationNumber allocation, const trace::Event& event);
  void grow(Held& held, const Part& part);
  void shrink(Held& held, std::uint64_t bytes, Going going);
  void end(Held& held, Going going);

  analyzer::LoadedTrace& trace_;
  analyzer::Instant from_;
  analyzer::Instant to_;
  std::size_t next_ = 0;
  std::unordered_map<std::uint64_t, Held> held_;     // By allocation.
  std::unordered_map<std::uint64_t, Change> older_;  // By Held::first.
  std::unordered_map<std::uint64_t, Row> rows_;      // By stack and lane.
  EndedUse ended_;                                   // Except `processes`.
  std::unordered_set<std::uint64_t> ended_processes_;
};

}  // namespace tidemark::gui
