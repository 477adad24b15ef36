#pragma once

#include "reference_loaders/cli/suite_result.hpp"

#include <string>
#include <vector>

/// Compares what tidemark predicts from a naive load with what its fix really takes.
namespace tidemark::loaders {

/// A naive variant and one that does the same with less memory.
struct Fix {
  const char* system;
  const char* before;
  const char* after;
};

/// Those of all systems, in the order of the registry.
const std::vector<Fix>& fixes();

/// One fix, both of whose loads were recorded over one model with the same options.
struct FixResult {
  std::string system;
  std::string model;
  std::string before;  ///< As row_name tells it.
  std::string after;   ///< The variant.
  RecordedLoad naive = {};
  RecordedLoad fixed = {};

  /// The peak without what the first finding is about, counted like `measured_bytes`; none if no
  /// finding has one.
  [[nodiscard]] std::optional<std::uint64_t> foretold_bytes() const;
};

/// The fixes of which `models` has both loads; cold loads are left out.
std::vector<FixResult> fix_results(const std::string& system,
                                   const std::vector<ModelResult>& models);

/// All of them as a table, no line longer than 100 columns; empty for none.
std::string fix_table(const std::vector<FixResult>& results);

}  // namespace tidemark::loaders
