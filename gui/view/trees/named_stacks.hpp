/// Stacks that hold memory, with their frames named: what flame graphs, tables and comparisons are
/// made of. Plain data, so that one thread can make it and another show it.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/alike/interned_frames.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
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

struct StackFrame {
  analyzer::NamedFrame name;
  std::string build;  ///< The build id of its module; empty when it has none.
};

/// The frames of a stack that matter: from the function that asked for the memory,
/// `frames.front()`, to the outermost one below the start-up code.
struct WeightedStack {
  trace::StackId stack = trace::kNoStack;
  trace::Lane lane = trace::Lane::kHeap;
  Weight weight;
  std::vector<std::uint32_t> frames;  ///< Indices into NamedStacks::frames. Empty: no stack.
};

struct NamedStacks {
  std::vector<StackFrame> frames;     ///< Each once, as people read it.
  std::vector<WeightedStack> stacks;  ///< Of the footprint lanes.
  Weight total;                       ///< Of all `stacks`.
};

/// The frames of a whole stack that matter, as indices [first, second): see WeightedStack::frames.
std::pair<std::size_t, std::size_t> frames_that_matter(
    const std::vector<analyzer::NamedFrame>& stack);

/// Names stacks of one trace, each frame once.
class StackNamer {
 public:
  /// `definitions` stays borrowed.
  explicit StackNamer(const trace::Definitions& definitions) : frames_(definitions, table_) {}

  void add(trace::StackId stack, trace::Lane lane, const Weight& weight);
  NamedStacks take();

 private:
  std::vector<std::uint32_t> frames_of(trace::StackId stack);

  analyzer::InternedFrames table_{analyzer::Reading::kModule};
  analyzer::RecordedFrames frames_;
  std::vector<std::string> builds_;  // By number of the frame.
  NamedStacks named_;                // But for its frames.
  std::unordered_map<std::uint64_t, std::size_t> rows_;
};

/// The footprint's part of a live set.
NamedStacks named_stacks(const analyzer::LiveSet& live, const trace::Definitions& definitions);

}  // namespace tidemark::gui
