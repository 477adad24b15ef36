#pragma once

#include "reference_loaders/system.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::loaders {

/// The two programs that a recording takes, and where traces go.
struct Recorder {
  std::filesystem::path tidemark;
  std::filesystem::path loaders;
};

/// One variant's load as its trace tells it, beside what the loader itself printed.
struct RecordedLoad {
  std::uint64_t peak_bytes = 0;  ///< Footprint.
  double peak_ratio = 0;         ///< Peak over model bytes, both found by tidemark.
  std::uint64_t lost_events = 0;
  std::uint64_t predicted_peak_bytes = 0;
  double seconds = 0;
  std::string checksum;
};

/// Runs `tidemark record` over `tidemark-loaders run`, then `tidemark report --format json`.
/// The trace stays at `trace`. @throws std::runtime_error when either fails.
RecordedLoad record_load(const Recorder& recorder,
                         const System& system,
                         const Variant& variant,
                         const std::filesystem::path& file,
                         const std::filesystem::path& trace);

/// What the two programs printed, put together. @throws std::runtime_error when a key is missing.
RecordedLoad parse_recorded_load(const std::string& run_json, const std::string& report_json);

}  // namespace tidemark::loaders
