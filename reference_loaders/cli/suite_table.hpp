#pragma once

#include "reference_loaders/cli/suite_result.hpp"
#include "reference_loaders/system.hpp"

#include <string>
#include <vector>

namespace tidemark::loaders {

/// The table of one system as text, no line longer than 100 columns. Rows that do not hold begin
/// with "!"; what must fail and does is told in its own words.
std::string suite_table(const System& system, const std::vector<ModelResult>& models);

}  // namespace tidemark::loaders
