#pragma once

#include "reference_loaders/cli/child_process.hpp"
#include "reference_loaders/system.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::loaders {

/// The two programs that a recording takes.
struct Recorder {
  std::filesystem::path tidemark;
  std::filesystem::path loaders;
};

/// This program, and `tidemark` or, where that is empty, the one beside this program.
/// @throws UsageError when it cannot be run.
Recorder find_recorder(const std::filesystem::path& tidemark);

/// What to record. `trace` is where the trace stays. The system is borrowed.
struct RecordingRequest {
  const System& system;
  std::string variant;
  std::filesystem::path file;
  std::filesystem::path trace;
  Options options = {};
  bool cold = false;
};

/// The first finding of tidemark's report of a load, and the peak without it.
struct FirstFinding {
  std::string kind;  ///< `twice`, `held`, ...
  std::uint64_t peak_without_bytes = 0;
};

/// One variant's load according to its trace, and what the loader itself printed.
struct RecordedLoad {
  std::uint64_t peak_bytes = 0;  ///< Footprint.
  std::uint64_t program_data_bytes =
      0;  ///< Part of that from before the load, which no formula predicts.
  std::uint64_t highest_mapped = 0;          ///< Mapped files, in bytes.
  std::optional<double> peak_ratio = {};     ///< Peak over model bytes, both found by tidemark.
  std::optional<FirstFinding> finding = {};  ///< None if no finding lowers the peak.
  std::uint64_t lost_events = 0;
  Prediction predicted = {};
  double seconds = 0;
  double gigabytes_per_second = 0;
  std::string checksum = {};
  std::vector<Note> notes = {};

  /// The highest footprint and the most that was mapped of files. In these loaders both peaks come
  /// at the same time, except for small differences, such as a few more strings when the mapping is
  /// gone already, where the footprint's peak then is.
  [[nodiscard]] std::uint64_t measured_bytes() const {
    return peak_bytes - std::min(peak_bytes, program_data_bytes) + highest_mapped;
  }
  [[nodiscard]] std::uint64_t predicted_bytes() const {
    return predicted.footprint_bytes + predicted.mapped_bytes;
  }
};

/// A recording whose loader may fail.
struct RecordedRun {
  std::optional<RecordedLoad> load = {};
  ChildResult process = {};
};

/// Runs `tidemark record` over `tidemark-loaders run`, then `tidemark report --format json`. A
/// loader that fails is a result. @throws std::runtime_error when `tidemark` cannot be started or
/// its report fails.
RecordedRun record_run(const Recorder& recorder, const RecordingRequest& request);

/// What to compare: two variants of a system, borrowed, loading one file. `folder` is where traces,
/// pictures and the differences stay.
struct ComparisonRequest {
  const System& system;
  std::string before;
  std::string after;
  std::filesystem::path file;
  std::filesystem::path folder;
};

/// Runs `tidemark compare` over both, which draws them phase by phase: one may take far longer.
/// @return the two loads, before and after. @throws std::runtime_error when it or one of them
/// fails.
std::array<RecordedLoad, 2> record_comparison(const Recorder& recorder,
                                              const ComparisonRequest& request);

/// The combined output of the two programs. @throws std::runtime_error when a key is missing.
RecordedLoad parse_recorded_load(const std::string& run_json, const std::string& report_json);

}  // namespace tidemark::loaders
