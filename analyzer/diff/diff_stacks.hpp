/// The stacks of a diff: what changed between two live sets.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// How a stack of one trace was found in the other.
enum class StackMatch : std::uint8_t {
  kNone,     ///< It was not found: the stack came or went.
  kSame,     ///< The same functions in the same order.
  kSimilar,  ///< Mostly the same callers of the same function.
};

/// What one stack held at the peaks. A stack is a chain of functions and lines, as in a report.
struct DiffStack {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  std::uint64_t before_blocks = 0;
  std::uint64_t after_blocks = 0;
  trace::Lane lane = trace::Lane::kHeap;
  StackMatch match = StackMatch::kNone;
  std::vector<NamedFrame> frames;  ///< As it is after; for one that went, as before.

  [[nodiscard]] std::int64_t change() const {
    return static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes);
  }
};

/// Stacks that are not listed one by one.
struct DiffRemainder {
  std::uint64_t stacks = 0;
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
};

/// What all stacks of one asking function and line held at the peaks.
struct PlaceChange {
  std::string place;  ///< See place_text.
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
};

/// Each stack of either live set is in exactly one of the first three.
struct ChangedStacks {
  std::vector<DiffStack> stacks;  ///< Those that changed, most changed first, at most `top`.
  DiffRemainder more;             ///< Those that changed too, beyond `top`.
  DiffRemainder unchanged;
  std::uint64_t grown_bytes = 0;           ///< How much more those hold that hold more,
  std::uint64_t shrunk_bytes = 0;          ///< and how much less the others.
  std::optional<PlaceChange> most_grown;   ///< The place of the stack that grew most,
  std::optional<PlaceChange> most_shrunk;  ///< and of the one that shrank most.
};

/// Names are looked up only for the `top` stacks that are listed; 0: for all.
ChangedStacks list_changed_stacks(const LiveSet& live_before,
                                  const trace::Definitions& before,
                                  const LiveSet& live_after,
                                  const trace::Definitions& after,
                                  std::size_t top);

}  // namespace tidemark::analyzer
