/// A live set as a page carries it: what is too small to be seen is folded, and no byte is lost.
#pragma once

#include "analyzer/html/contents/live_series.hpp"
#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/stacks/alike/stack_groups.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark::html {

/// What one node of the forest holds in one lane.
struct FoldedStack {
  std::uint32_t node = 0;
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  /// 0: this very stack. Else so many stacks that went through this node, none of them listed;
  /// those that read the same are one where they have no row.
  std::uint32_t folded = 0;
  /// Stacks that read the same, as the report has them (analyzer::group_stacks), are one row: from
  /// 1 on, most bytes first. At least one stack of a row is not folded. 0: they hold too little for
  /// a row of their own.
  std::uint32_t row = 0;
  /// Of the row: at all instants the same for stacks that read the same.
  std::uint32_t reading = 0;
};

/// What holds less is folded.
struct FoldLimits {
  std::uint64_t branch_bytes = 0;
  std::uint64_t row_bytes = 0;
};

/// What each node of a forest holds, from instant to instant, in the lanes of the footprint.
class HeldStacks {
 public:
  /// `planter` must be of the changes' trace, and plant in `forest`; `definitions` are the trace's.
  /// All stay borrowed.
  HeldStacks(StackPlanter& planter,
             const StackForest& forest,
             const trace::Definitions& definitions)
      : planter_(planter), forest_(forest), readings_(definitions) {}

  void apply(const LiveChange& change);

  /// A branch of the forest that holds too little is folded into the node that it grows from, but
  /// for the largest stack of each row that holds enough. Invariant: the bytes add up to `bytes()`,
  /// and those of a row to what all stacks hold that read like it. Most bytes first.
  [[nodiscard]] std::vector<FoldedStack> folded(const FoldLimits& limits) const;
  /// The row of each stack that has one there, by analyzer::key_of its id and lane.
  [[nodiscard]] std::unordered_map<std::uint64_t, std::uint32_t> rows_by_stack(
      const FoldLimits& limits) const;

  /// Of stacks that read the same, by FoldedStack::reading.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of_readings() const;
  /// The reading of a stack whose change was applied.
  [[nodiscard]] std::uint32_t reading_of(const LiveChange& change) const;
  /// Of all stacks together.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// How many stacks hold anything; those that read the same are one.
  [[nodiscard]] std::size_t stack_count() const;

 private:
  /// The stacks of one node that read the same.
  struct Held {
    std::uint32_t node = 0;
    std::uint32_t reading = 0;  ///< In one lane: see analyzer::StackReadings.
    trace::Lane lane = trace::Lane::kHeap;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  Held& held_by(const LiveChange& change);
  [[nodiscard]] std::vector<std::uint32_t> nodes_listed_at(std::uint64_t least_bytes) const;
  [[nodiscard]] std::vector<std::uint32_t> by_reading() const;
  [[nodiscard]] std::vector<bool> listed(const std::vector<std::uint32_t>& listed_at,
                                         std::uint64_t least_row_bytes) const;
  [[nodiscard]] std::vector<std::uint32_t> rows_of(const std::vector<bool>& is_listed) const;

  StackPlanter& planter_;
  const StackForest& forest_;
  analyzer::StackReadings readings_;
  std::vector<Held> held_;
  std::unordered_map<std::uint64_t, std::size_t> place_of_;        // In held_, by node and reading.
  std::unordered_map<std::uint64_t, std::size_t> place_of_stack_;  // The same, by stack and lane.
  std::uint64_t bytes_ = 0;
};

}  // namespace tidemark::html
