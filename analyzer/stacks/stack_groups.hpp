/// The live set as people count it: stacks that read the same are one.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/interned_frames.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Numbers for stacks, 0, 1, 2 ... as they are met: one for those that read the same. Two recorded
/// stacks read the same when all their functions, files and lines do: one line may call from
/// several addresses. Each frame is named once.
class StackReadings {
 public:
  /// How often CPython has called a line changes what it calls it by: of that only the line counts.
  /// `definitions` stay borrowed.
  explicit StackReadings(const trace::Definitions& definitions) : frames_(definitions, table_) {}

  /// @param kind stacks of different kinds are never the same.
  std::size_t number_of(trace::StackId stack, char32_t kind = 0);

 private:
  void drop_python_calls(std::vector<std::uint32_t>& frames);
  [[nodiscard]] bool is_call(std::uint32_t frame);
  [[nodiscard]] bool is_plumbing(std::uint32_t frame);

  InternedFrames table_{Reading::kLine};
  RecordedFrames frames_;
  std::vector<std::optional<bool>> is_call_;               // By frame; empty: not asked yet.
  std::vector<std::optional<bool>> is_plumbing_;           // Likewise.
  std::unordered_map<std::u32string, std::size_t> known_;  // By the numbers of frames, and kind.
};

/// The stacks of one lane that read the same.
struct StackGroup {
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  trace::StackId stack = trace::kNoStack;  ///< One of them.
};

/// The stacks of the footprint lanes that hold anything, most bytes first.
std::vector<StackGroup> group_stacks(const LiveSet& live, const trace::Definitions& definitions);

/// Stacks of the same functions in the same order as one, as a baseline knows them: lines, template
/// arguments and addresses do not matter. Most bytes first; each has the stack of its largest.
std::vector<StackGroup> merged_by_function(const std::vector<StackGroup>& groups,
                                           const trace::Definitions& definitions);

}  // namespace tidemark::analyzer
