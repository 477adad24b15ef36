/// What an export says of stacks: who holds what at an instant, or who took what between two.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::exports {

constexpr bool is_footprint(trace::Lane lane) {
  return trace::in_footprint(lane);
}

/// Invariant over a range, in an intact trace: allocated = freed + kept.
struct StackValues {
  std::uint64_t bytes = 0;   ///< Alive at the end: kept.
  std::uint64_t blocks = 0;  ///< Alive at the end; one of which a part is left counts.
  // Over a range only, else 0.
  std::uint64_t allocated_bytes = 0;  ///< All that came in the range.
  std::uint64_t allocated_blocks = 0;

  /// Of what came in the range, what also went in it.
  [[nodiscard]] std::uint64_t freed_bytes() const {
    return allocated_bytes - std::min(bytes, allocated_bytes);
  }
  [[nodiscard]] std::uint64_t freed_blocks() const {
    return allocated_blocks - std::min(blocks, allocated_blocks);
  }
  StackValues& operator+=(const StackValues& other);
  bool operator==(const StackValues&) const = default;
};

/// Orders by bytes, those of the end first.
bool holds_more(const StackValues& a, const StackValues& b);

/// `stack` is kNoStack for what no recorded stack explains.
struct StackRow {
  trace::StackId stack = trace::kNoStack;
  trace::Lane lane = trace::Lane::kHeap;
  StackValues values;
};

struct StackTable {
  std::uint64_t at_ns = 0;
  std::optional<std::uint64_t> since_ns;  ///< Set: what came after this and until `at_ns`.
  std::vector<StackRow> rows;             ///< Most bytes first; ties by stack and lane.
};

/// The live set. Lane by lane the rows add up to the totals, but where releases were lost, so that
/// more looks alive than can be.
StackTable stacks_at(analyzer::LoadedTrace& trace, const analyzer::Instant& at);

/// Goes through every event of the range, to count also what did not stay.
StackTable stacks_between(analyzer::LoadedTrace& trace,
                          const analyzer::Instant& from,
                          const analyzer::Instant& to);

}  // namespace tidemark::exports
