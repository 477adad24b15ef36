/// What a picture says about one trace, apart from its curves.
#pragma once

#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/report/facts/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::picture {

/// Bytes of the model read or mapped up to and including this instant.
struct ProgressPoint {
  std::uint64_t ns = 0;
  std::uint64_t bytes = 0;
};

struct Subject {
  analyzer::LoadedTrace* trace = nullptr;  ///< Borrowed; never null.
  std::string command;                     ///< The program without its folder, and its arguments.
  std::uint64_t duration_ns = 0;
  std::uint64_t peak_bytes = 0;
  bool is_peak_of_a_part = false;  ///< Only a part of the recording is left.
  analyzer::Instant peak_at;
  trace::LaneTotals peak_lanes;   ///< At the peak.
  trace::LaneTotals lane_peaks;   ///< Each lane's own.
  std::uint64_t model_bytes = 0;  ///< W; 0: unknown.
  std::string model_advice;  ///< Weights that were read in part, while W is unknown; else empty.
  std::string peak_phase;    ///< `phase deserialize`; empty: none was open.
  std::string warning;       ///< What is missing from the numbers; usually empty.
  std::vector<analyzer::Phase> phases;
  std::vector<std::string> natives;         ///< analyzer::large_natives of the peak.
  std::vector<analyzer::SizedBlock> sized;  ///< At the peak; of a report with its anatomy alone.
  std::vector<analyzer::ResidentTotals> resident;
  /// First the opening of a model file, with 0 bytes, then its reads; the last point is the whole.
  /// Empty if no model file is known.
  std::vector<ProgressPoint> progress;

  /// To be layered; borrowed from this subject.
  [[nodiscard]] analyzer::LayeredLoad layered() const;
  /// RSS, the highest sample.
  [[nodiscard]] std::uint64_t resident_peak() const;
  /// The share of the model that was read by then, 0 to 1; 0 if no model is known. Interpolated
  /// between reads.
  [[nodiscard]] double share_read(std::uint64_t ns) const;
  /// The latest sample at that time; null before the first.
  [[nodiscard]] const analyzer::ResidentTotals* resident_at(std::uint64_t ns) const;
  /// `read file / convert`: phases open then, the outermost first.
  [[nodiscard]] std::string phases_at(std::uint64_t ns) const;
  /// `512.1 MiB = 2.00 x W`; without the ratio when W is unknown; of a part `at least 512.1 ...`.
  [[nodiscard]] std::string peak_text() const;
  /// `W = 256.0 MiB,  1.20 s`; only the time if W is unknown.
  [[nodiscard]] std::string facts_text() const;
};

/// `report` must be of this trace, which stays borrowed. Goes through the trace once more if files
/// were read.
Subject subject_of(analyzer::LoadedTrace& trace, const analyzer::Report& report);

}  // namespace tidemark::picture
