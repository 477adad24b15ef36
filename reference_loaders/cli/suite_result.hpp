#pragma once

#include "reference_loaders/cli/recorded_load.hpp"
#include "reference_loaders/system.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The results of a suite, and whether they are as required. Nothing here runs anything.
namespace tidemark::loaders {

/// One row of a table, done.
struct RowResult {
  SuiteRow row;
  std::string peak_formula;  ///< The variant's.
  RecordedRun run;
};

/// One model file and its rows, in their order.
struct ModelResult {
  std::string model;
  std::uint64_t weight_bytes = 0;
  std::uint64_t file_bytes = 0;  ///< Total of all its files.
  double seconds_to_read = 0;    ///< As fast as dd, warm.
  std::vector<RowResult> rows;
};

/// "exec-blob", or with what sets the row apart: "hardcoded --tokens 32, cold".
std::string row_name(const SuiteRow& row);

/// Measured peak over predicted peak, minus 1.
double difference(const RecordedLoad& load);

/// How a loader that failed ended, as one sentence: "exit status 2: model: not a params file".
std::string ending(const ChildResult& process);

/// Why a row of `model` does not hold; empty when it does. Sentences without the row's name.
///
/// A row must load, or fail with the words that it has to fail with. A load must have a measured
/// peak within 2 % of the predicted one, no lost events, and the checksum of the model's first
/// load.
std::vector<std::string> objections(const ModelResult& model, const RowResult& row);

}  // namespace tidemark::loaders
