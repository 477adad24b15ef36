#pragma once

#include "reference_loaders/cli/suite_result.hpp"

#include <string>
#include <utility>

/// Results of a suite without running one.
namespace tidemark::loaders::test {

/// A load whose measured peak is `measured` bytes, of 1000 predicted.
inline RowResult a_load(const std::string& variant, std::uint64_t measured = 1000) {
  RowResult row;
  row.row.variant = variant;
  row.peak_formula = "2W";
  RecordedLoad load;
  load.peak_bytes = measured;
  load.predicted = {.footprint_bytes = 1000, .mapped_bytes = 0, .numbers = "2 x 500 B"};
  load.peak_ratio = 2.0;
  load.seconds = 0.5;
  load.gigabytes_per_second = 1.25;
  load.checksum = "c0ffee";
  row.run.load = load;
  row.run.process.exit_status = 0;
  return row;
}

inline RowResult a_failure(const std::string& variant, const std::string& said) {
  RowResult row;
  row.row.variant = variant;
  row.run.process.exit_status = 2;
  row.run.process.err = "tidemark-loaders: " + said + "\n";
  return row;
}

inline ModelResult a_model(std::vector<RowResult> rows) {
  return {.model = "params",
          .weight_bytes = 500,
          .file_bytes = 512,
          .seconds_to_read = 0.4,
          .rows = std::move(rows)};
}

}  // namespace tidemark::loaders::test
