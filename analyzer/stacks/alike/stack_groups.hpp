/// The live set as people count it: stacks that read the same are one.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/alike/interned_frames.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Numbers for stacks, 0, 1, 2 ... as they are met: one for those that read the same. Two recorded
/// stacks read the same when all their functions, files and lines do: one line may call from
/// several addresses. Each frame is named once.
class StackReadings {
 public:
  /// CPython calls a line through different functions as it warms up; only the line counts.
  /// `definitions` stay borrowed.
  explicit StackReadings(const trace::Definitions& definitions) : frames_(definitions, table_) {}

  /// @param kind stacks of different kinds are never the same.
  std::size_t number_of(trace::StackId stack, char32_t kind = 0);

 private:
  /// What is known of a node of the trace's tree of stacks. Stacks have most of their frames in
  /// common, so each node is looked at only once.
  struct Node {
    static constexpr std::uint32_t kUnknown = UINT32_MAX;

    std::uint32_t python = kUnknown;  // The innermost node of Python from here on; 0: none.
    std::uint32_t native = 0;         // The innermost other one that has functions; 0: none.
    std::uint32_t path = kUnknown;    // In `paths_`, see telling_path.
    std::uint32_t interpreter = 0;    // What `path` is for.
    std::uint32_t whole = kUnknown;   // Path of the whole stack that ends here, see path_of.
  };

  static constexpr std::uint32_t kNoInterpreter = UINT32_MAX;

  [[nodiscard]] std::uint32_t parent_of(std::uint32_t node) const;
  std::span<const std::uint32_t> functions_of(std::uint32_t node);
  const Node& look_at(std::uint32_t node);
  std::uint32_t path_of(std::uint32_t node);
  std::uint32_t telling_path(std::uint32_t node, std::uint32_t interpreter);
  std::uint32_t path_inside_python(std::uint32_t node,
                                   std::uint32_t python,
                                   std::uint32_t interpreter);
  std::uint32_t module_of(std::uint32_t frame);
  [[nodiscard]] bool is_call_of(std::uint32_t frame, std::uint32_t interpreter);
  [[nodiscard]] bool is_plumbing(std::uint32_t frame);

  InternedFrames table_{Reading::kLine};
  RecordedFrames frames_;
  std::vector<std::optional<bool>> is_call_;      // By frame; empty: not asked yet.
  std::vector<std::optional<bool>> is_plumbing_;  // Likewise.
  std::vector<std::uint32_t> modules_;            // By frame: a number for its module.
  std::unordered_map<std::string, std::uint32_t> module_numbers_;
  std::vector<Node> nodes_;                               // By StackId.
  std::vector<std::uint32_t> pending_;                    // Indices into nodes_, innermost first.
  std::vector<std::uint32_t> inside_;                     // Frames of a stack, innermost first.
  ChildIndex paths_;                                      // Paths of frames, outermost first.
  std::unordered_map<std::uint64_t, std::size_t> known_;  // By path and kind.
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
