/// A baseline: the numbers and stacks of one load, stored for later checks to compare with.
#pragma once

#include "analyzer/gate/gate_subject.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct BaselinePhase {
  std::string name;
  std::uint64_t peak_bytes = 0;
};

/// How many stacks of a peak, the largest ones, are named and compared with a baseline.
constexpr std::size_t kMaxComparedStacks = 1000;

/// Documented in analyzer/gate/GATE.md. Holds nothing that differs between two runs of one build:
/// no times, no addresses, no lines.
struct Baseline {
  std::vector<std::string> command;
  std::uint64_t model_bytes = 0;  ///< W; 0 when it was not known.
  std::uint64_t footprint_bytes = 0;
  trace::LaneTotals lane_peaks;
  ResidentPeaks resident;  ///< `own_bytes` is not stored.
  /// HighWater::private_by_mark; 0 in an old baseline without it.
  std::uint64_t private_by_mark = 0;
  std::vector<BaselinePhase> phases;
  std::vector<ReportStack>
      stacks;  ///< At the peak, most bytes first; frames without line, native ones without file.
  ReportStack rest;               ///< The stacks that were too many, summed.
  std::uint64_t rest_stacks = 0;  ///< How many those are.
};

/// Options of a report that is to be compared with a baseline, or stored as one. If a large program
/// has hundreds of thousands of stacks, only the largest get names: naming all takes more memory
/// than the trace, and small ones make no regression.
/// @param model as ReportOptions::model.
ReportOptions comparison_options(const std::string& model);

/// @param report of `comparison_options`.
Baseline make_baseline(const Report& report);

/// The highest value of a subject, in bytes; none for a phase that the baseline does not know.
std::optional<std::uint64_t> baseline_bytes(const Baseline& baseline, const Subject& subject);

/// The text of a baseline file, schema 1.
std::string baseline_json(const Baseline& baseline);

/// `name` stands for the text in messages.
/// @return kUsage for text that is no baseline, kUnsupported for another schema.
Result<Baseline> parse_baseline(const std::string& text, const std::string& name);

/// @return kIo when the file cannot be read; else as `parse_baseline`.
Result<Baseline> read_baseline(const std::string& path);

}  // namespace tidemark::analyzer
