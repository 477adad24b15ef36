/// The values of stacks in an export: held at an instant, or allocated between two.
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

/// Over a range, what allocations that are older than it grew by counts as bytes of their stack,
/// but not as blocks; when one shrinks, what it gained last goes first.
///
/// Invariant over a range, in an intact trace: allocated = freed + kept.
struct StackValues {
  std::uint64_t bytes = 0;   ///< Alive at the end: kept.
  std::uint64_t blocks = 0;  ///< Alive at the end, also partly released ones.
  // Over a range only, else 0.
  std::uint64_t allocated_bytes = 0;  ///< All that came in the range, by requests and by growth.
  std::uint64_t allocated_blocks = 0;

  /// Bytes allocated and freed within the range.
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
  std::optional<std::uint64_t> since_ns;  ///< Set: the range from here to `at_ns`.
  std::vector<StackRow> rows;             ///< Most bytes first; ties by stack and lane.
};

/// The live set. The rows of each lane add up to its total, except if releases were lost, so that
/// too much seems to be alive.
StackTable stacks_at(analyzer::LoadedTrace& trace, const analyzer::Instant& at);

/// Goes through every event of the range, to count also what was freed.
StackTable stacks_between(analyzer::LoadedTrace& trace,
                          const analyzer::Instant& from,
                          const analyzer::Instant& to);

}  // namespace tidemark::exports
