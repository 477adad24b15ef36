#pragma once

#include "reference_loaders/cli/suite_result.hpp"
#include "reference_loaders/system.hpp"

#include <string>
#include <vector>

namespace tidemark::loaders {

/// The table of one system as text, no line longer than 100 columns. Rows that do not hold begin
/// with "!"; an expected failure shows its own message.
std::string suite_table(const System& system, const std::vector<ModelResult>& models);

}  // namespace tidemark::loaders
