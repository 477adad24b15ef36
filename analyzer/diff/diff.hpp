/// Two traces side by side: what a change of a loader did to its peak.
#pragma once

#include "analyzer/diff/phase_match.hpp"
#include "analyzer/report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct DiffOptions {
  std::size_t top = 10;  ///< Stacks to list, here and in each report; 0: all.
  std::string model;     ///< --model, for both; replaces what the recordings were given.
};

/// How a stack of one trace was found in the other.
enum class StackMatch : std::uint8_t {
  kNone,     ///< It was not: the stack came or went.
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
  std::vector<NamedFrame> frames;  ///< As it is after; as it was before when it went.

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

/// Invariant, before as after: `stacks` + `more` + `unchanged` + the report's unattributed bytes
/// are the report's peak.
struct Diff {
  Report before;
  Report after;
  std::vector<PhasePair> phases;
  std::vector<DiffStack> stacks;  ///< Those that changed, most changed first, at most `top`.
  DiffRemainder more;             ///< Those that changed too, beyond `top`.
  DiffRemainder unchanged;

  [[nodiscard]] std::int64_t peak_change_bytes() const {
    return static_cast<std::int64_t>(after.peak.footprint_bytes) -
           static_cast<std::int64_t>(before.peak.footprint_bytes);
  }
  /// Change over the peak before: -0.5 is half of it. None when there was no peak before.
  [[nodiscard]] std::optional<double> peak_change_ratio() const;
};

/// The diff with only its first `top` stacks listed; 0: all that it has.
Diff shortened(Diff diff, std::size_t top);

/// @return kUsage when `options.model` is neither a size nor a file.
Result<Diff> build_diff(LoadedTrace& before, LoadedTrace& after, const DiffOptions& options);

}  // namespace tidemark::analyzer
