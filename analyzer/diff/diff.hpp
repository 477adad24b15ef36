/// Two traces side by side: what a change of a loader did to its peak.
#pragma once

#include "analyzer/diff/diff_stacks.hpp"
#include "analyzer/diff/phase_match.hpp"
#include "analyzer/report/facts/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct DiffOptions {
  std::size_t top = 10;  ///< Stacks to list, here and in each report; 0: all.
  std::string model;     ///< --model, for both; replaces what the recordings were given.
};

/// Invariant, before as after: `stacks` + `more` + `unchanged` + the report's unattributed bytes
/// are the report's peak.
struct Diff : ChangedStacks {
  Report before;
  Report after;
  std::vector<PhasePair> phases;

  [[nodiscard]] std::int64_t peak_change_bytes() const {
    return static_cast<std::int64_t>(after.peak.footprint_bytes) -
           static_cast<std::int64_t>(before.peak.footprint_bytes);
  }
  /// Change relative to the peak before: -0.5 means that it was halved. None if there was no peak
  /// before.
  [[nodiscard]] std::optional<double> peak_change_ratio() const;
};

/// A copy of the diff with only its first `top` stacks listed; 0: all that it has.
Diff shortened(Diff diff, std::size_t top);

/// @return kUsage when `options.model` is neither a size nor a file.
Result<Diff> build_diff(LoadedTrace& before, LoadedTrace& after, const DiffOptions& options);

}  // namespace tidemark::analyzer
