#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::loaders {

struct SuiteOptions {
  std::vector<std::string> systems;  ///< Empty for all.
  std::filesystem::path directory = "tidemark-suite";
  std::filesystem::path tidemark;  ///< Empty: beside this program.
  bool full = false;               ///< The published sizes.
  bool keep = false;               ///< Keep the model files that `full` makes.
};

/// Records every row of the systems' tables and prints one table a system to stdout: predicted and
/// measured peak side by side; then one of what tidemark's first finding foretells of the naive
/// loads, beside what the fixed ones took. Progress goes to stderr, and so does a sentence for each
/// row that does not hold.
/// @return true when all rows hold.
/// @throws UsageError when a system is unknown, or disk or memory do not suffice.
bool run_suite(const SuiteOptions& options);

}  // namespace tidemark::loaders
