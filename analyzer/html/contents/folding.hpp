/// A live set as stored in a page: stacks too small to be seen are folded, but no byte is lost.
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
  /// 0: a single stack. Else the number of stacks through this node that are not listed; without a
  /// row, stacks that read the same count as one.
  std::uint32_t folded = 0;
  /// Stacks that read the same, as the report has them (analyzer::group_stacks), are one row: from
  /// 1 on, most bytes first. At least one stack of a row is not folded. 0: they hold too little for
  /// a row of their own.
  std::uint32_t row = 0;
  /// The row's reading: equal at all instants for stacks that read the same.
  std::uint32_t reading = 0;
};

/// Branches and rows that hold less are folded.
struct FoldLimits {
  std::uint64_t branch_bytes = 0;
  std::uint64_t row_bytes = 0;
};

/// What each node of a forest holds, from instant to instant, in the lanes of the footprint.
class HeldStacks {
 public:
  /// `planter` must belong to the trace of the changes and plant in `forest`; `definitions` are
  /// that trace's. All stay borrowed.
  HeldStacks(StackPlanter& planter,
             const StackForest& forest,
             const trace::Definitions& definitions)
      : planter_(planter), forest_(forest), readings_(definitions) {}

  void apply(const LiveChange& change);

  /// Branches of the forest that hold too little are folded into the node that they grow from,
  /// except the largest stack of each row that holds enough. Most bytes first. Invariant: all bytes
  /// add up to `bytes()`, and those of a row to what all stacks with its reading hold.
  [[nodiscard]] std::vector<FoldedStack> folded(const FoldLimits& limits) const;
  /// The row in `folded` of each stack that has one, by analyzer::key_of its id and lane.
  [[nodiscard]] std::unordered_map<std::uint64_t, std::uint32_t> rows_by_stack(
      const FoldLimits& limits) const;

  /// What stacks of each reading hold, by FoldedStack::reading.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of_readings() const;
  /// The reading of a stack whose change was applied.
  [[nodiscard]] std::uint32_t reading_of(const LiveChange& change) const;
  /// Of all stacks together.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// How many stacks hold anything; those that read the same count as one.
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
