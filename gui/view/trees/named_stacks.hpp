/// Stacks that hold memory, with their frames named, for flame graphs, tables and comparisons.
/// Plain data, so that one thread can make it and another show it.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "gui/view/trees/stack_readings.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

/// The memory of a stack or a function.
struct Weight {
  std::uint64_t bytes = 0;              ///< Held at an instant; of a range: allocated in it.
  std::uint64_t blocks = 0;             ///< The same in blocks.
  std::uint64_t freed = 0;              ///< In a range: allocated in it, and gone at its end.
  std::uint64_t freed_blocks = 0;       ///< The same in blocks.
  std::uint64_t given_back = 0;         ///< In a range: released in it, whenever it was allocated.
  std::uint64_t given_back_blocks = 0;  ///< The same in whole blocks.

  [[nodiscard]] std::uint64_t kept() const { return bytes - freed; }
  void add(const Weight& other);
  bool operator==(const Weight&) const = default;
};

/// Recorded stacks that read the same, including what the asking line of Python called.
struct CalledStack {
  std::vector<trace::StackId> recorded;
  std::vector<std::uint64_t> recorded_bytes;  ///< By recorded stack: its part of `weight.bytes`.
  Weight weight;                              ///< The sum over all of them.
  std::vector<std::uint32_t> frames;  ///< analyzer::Outline::called; indices as of WeightedStack.
};

/// Recorded stacks of one lane that read the same from the asking function outwards.
struct WeightedStack {
  trace::Lane lane = trace::Lane::kHeap;
  Weight weight;  ///< The sum over all `called`.
  /// analyzer::Outline::asking. Indices into NamedStacks::frames. Empty: no stack.
  std::vector<std::uint32_t> frames;
  std::vector<CalledStack> called;  ///< At least one.
};

struct NamedStacks {
  std::vector<StackFrame> frames;     ///< Each once, named for people.
  std::vector<WeightedStack> stacks;  ///< In the footprint lanes.
  Weight total;                       ///< The sum over all `stacks`.
};

/// Names the stacks of one trace and merges those that read the same.
class StackNamer {
 public:
  /// `definitions` stays borrowed.
  explicit StackNamer(const trace::Definitions& definitions) : readings_(definitions) {}

  void add(trace::StackId stack, trace::Lane lane, const Weight& weight);
  NamedStacks take();

 private:
  /// Where a recorded stack is in `named_`.
  struct Place {
    std::size_t row = 0;       ///< In `stacks`.
    std::size_t called = 0;    ///< In the row's `called`.
    std::size_t recorded = 0;  ///< In that one's `recorded`.
  };
  Place enter(trace::StackId stack, trace::Lane lane);

  StackReadings readings_;
  NamedStacks named_;                                      // Except its frames.
  std::unordered_map<std::uint64_t, Place> known_;         // By stack and lane.
  std::unordered_map<std::uint64_t, std::size_t> rows_;    // By Reading::asking and lane.
  std::unordered_map<std::uint64_t, std::size_t> called_;  // By row and Reading::called.
};

/// The footprint's part of a live set.
NamedStacks named_stacks(const analyzer::LiveSet& live, const trace::Definitions& definitions);

}  // namespace tidemark::gui
