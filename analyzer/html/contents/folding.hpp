/// A live set as stored in a page: stacks too small to be seen are folded, but no byte is lost.
#pragma once

#include "analyzer/html/contents/live_series.hpp"
#include "analyzer/html/contents/trace_stacks.hpp"
#include "analyzer/query/paged_numbers.hpp"

#include <array>
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
  /// The stacks of one node that read the same.
  struct Held {
    std::uint32_t node = 0;
    std::uint32_t reading = 0;  ///< In one lane: see analyzer::StackReadings.
    trace::Lane lane = trace::Lane::kHeap;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };

  /// `stacks` must belong to the trace of the changes and plant in `forest`. Both stay borrowed.
  HeldStacks(TraceStacks& stacks, const StackForest& forest) : stacks_(stacks), forest_(forest) {}

  void apply(const LiveChange& change);

  /// The reading of a stack whose change was applied.
  [[nodiscard]] std::uint32_t reading_of(const LiveChange& change);
  [[nodiscard]] const std::vector<Held>& held() const { return held_; }
  /// What stacks of each reading hold, by FoldedStack::reading.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of_readings() const;
  /// The sum over all stacks.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Calls `see` with each stack's id, lane and place in `held()`.
  template <typename See>
  void visit_places(const See& see) const {
    for (const Known& known : known_) {
      see(trace::index(known.stack), known.lane, known.place);
    }
  }
  [[nodiscard]] const StackForest& forest() const { return forest_; }

 private:
  struct Known {
    trace::StackId stack = trace::kNoStack;
    trace::Lane lane = trace::Lane::kHeap;
    std::uint32_t place = 0;  ///< In held_.
  };

  Held& held_by(const LiveChange& change);
  std::uint32_t place_for(const LiveChange& change);

  TraceStacks& stacks_;
  const StackForest& forest_;
  std::vector<Held> held_;
  analyzer::ChildIndex pairs_;  // By node and reading: from 1 on, place in held_ less 1.
  // By lane and stack: from 1 on, place in known_ less 1. Every change is looked up in it.
  std::array<analyzer::PagedNumbers, trace::kLaneCount> numbers_;
  std::vector<Known> known_;
  std::uint64_t bytes_ = 0;
};

/// Folds what all stacks hold at one instant, as often as needed to find limits that fit. What even
/// the lowest limits fold is added up only once: a page has dozens of instants, each with some
/// hundred thousand stacks of a hundred frames.
class Folding {
 public:
  /// Folds the stacks as they are after the changes applied so far. `stacks` stay borrowed, and
  /// must not change otherwise meanwhile.
  /// @param least no limit is lower.
  Folding(const HeldStacks& stacks, const FoldLimits& least);

  /// Branches of the forest that hold too little are folded into the node that they grow from,
  /// except the largest stack of each row that holds enough. Most bytes first. Invariant: all bytes
  /// add up to those that the stacks hold, and those of a row to what all stacks with its reading
  /// hold.
  [[nodiscard]] std::vector<FoldedStack> folded(const FoldLimits& limits) const;
  /// The row in `folded` of each stack that has one, by analyzer::key_of its id and lane.
  [[nodiscard]] std::unordered_map<std::uint64_t, std::uint32_t> rows_by_stack(
      const FoldLimits& limits) const;
  /// How many stacks hold anything; those that read the same count as one.
  [[nodiscard]] std::size_t stack_count() const { return stack_count_; }

 private:
  /// All stacks through a node that has enough to be listed by the lowest limit; the root.
  struct Branch {
    std::uint32_t node = 0;
    std::uint32_t parent = 0;  // In `branches_`; of the root, itself.
    std::uint64_t bytes = 0;
  };
  struct Live {
    std::uint32_t place = 0;   // In `HeldStacks::held()`.
    std::uint32_t branch = 0;  // In `branches_`: of its node, or the next one that it is in.
    bool is_own = false;       // Whether `branch` is its own node's.
  };
  /// Stacks that read the same.
  struct Group {
    std::uint32_t reading = 0;
    std::uint32_t begin = 0;  // This and the next two: in `live_`.
    std::uint32_t end = 0;
    std::uint32_t largest = 0;
    std::uint64_t bytes = 0;
  };
  /// Groups that never have a row, each in one branch and one lane.
  struct Rest {
    std::uint32_t branch = 0;
    trace::Lane lane = trace::Lane::kHeap;
    std::uint32_t groups = 0;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  /// The branches that hold enough to be listed.
  struct Listed {
    std::vector<std::uint32_t> of_branch;  // In `branches`: itself, or the next one that it is in.
    std::vector<std::uint32_t> branches;   // In `branches_`.
  };

  void list_live();
  void list_branches(std::uint64_t least_bytes);
  void list_groups(std::uint64_t least_row_bytes);
  [[nodiscard]] Listed listed_from(std::uint64_t least_bytes) const;
  [[nodiscard]] bool is_listed(const Listed& listed, const Live& live) const;
  [[nodiscard]] bool has_row(const Listed& listed,
                             const Group& group,
                             const FoldLimits& limits) const;

  const HeldStacks& stacks_;
  std::vector<Branch> branches_;  // Parents first.
  std::vector<Live> live_;        // Those of a group one behind the other.
  std::vector<Group> groups_;     // Most bytes first.
  std::vector<Rest> rests_;
  std::size_t stack_count_ = 0;
};

}  // namespace tidemark::html
