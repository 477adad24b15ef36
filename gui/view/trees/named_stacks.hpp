/// Stacks that hold memory, with their frames named: what flame graphs, tables and comparisons are
/// made of. Plain data, so that one thread can make it and another show it.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "gui/view/trees/stack_readings.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

/// What a stack, or a function, has to do with memory.
struct Weight {
  std::uint64_t bytes = 0;   ///< Held at an instant; of a range: allocated in it.
  std::uint64_t blocks = 0;  ///< The same in blocks.
  std::uint64_t freed = 0;   ///< Of a range: bytes allocated in it that were gone at its end.

  [[nodiscard]] std::uint64_t kept() const { return bytes - freed; }
  void add(const Weight& other);
  bool operator==(const Weight&) const = default;
};

/// Recorded stacks of one lane that read the same.
struct WeightedStack {
  std::vector<trace::StackId> recorded;
  std::vector<std::uint64_t> recorded_bytes;  ///< Of each, the same part of `weight`.
  trace::Lane lane = trace::Lane::kHeap;
  Weight weight;  ///< Of all of them.
  /// The frames that matter, from the function that asked for the memory out: see
  /// frames_that_matter. Indices into NamedStacks::frames. Empty: no stack.
  std::vector<std::uint32_t> frames;
};

struct NamedStacks {
  std::vector<StackFrame> frames;     ///< Each once, as people read it.
  std::vector<WeightedStack> stacks;  ///< Of the footprint lanes.
  Weight total;                       ///< Of all `stacks`.
};

/// Names stacks of one trace, and adds those up that read the same.
class StackNamer {
 public:
  /// `definitions` stays borrowed.
  explicit StackNamer(const trace::Definitions& definitions) : readings_(definitions) {}

  void add(trace::StackId stack, trace::Lane lane, const Weight& weight);
  NamedStacks take();

 private:
  StackReadings readings_;
  NamedStacks named_;                                     // But for its frames.
  std::unordered_map<std::uint64_t, std::size_t> rows_;   // By reading and lane.
  std::unordered_map<std::uint64_t, std::size_t> known_;  // By stack and lane: index in `recorded`.
};

/// The footprint's part of a live set.
NamedStacks named_stacks(const analyzer::LiveSet& live, const trace::Definitions& definitions);

}  // namespace tidemark::gui
