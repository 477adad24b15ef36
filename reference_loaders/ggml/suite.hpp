#pragma once

#include "reference_loaders/system.hpp"

#include <vector>

namespace tidemark::loaders::ggml {

/// The rows of the table: what the estimate wastes, where it is too small, and what replaced it.
std::vector<SuiteRow> suite(SuiteSize size);

}  // namespace tidemark::loaders::ggml
