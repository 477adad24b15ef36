#pragma once

#include "reference_loaders/system.hpp"

#include <vector>

namespace tidemark::loaders::strategies {

inline constexpr const char* kGgufModel = "gguf";
inline constexpr const char* kSafetensorsModel = "safetensors";

/// The rows of the table: every variant, warm and cold.
std::vector<SuiteRow> suite(SuiteSize size);

}  // namespace tidemark::loaders::strategies
