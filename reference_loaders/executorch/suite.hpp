#pragma once

#include "reference_loaders/executorch/llama_model.hpp"
#include "reference_loaders/system.hpp"

#include <vector>

namespace tidemark::loaders::executorch {

struct NamedLlama {
  const char* name;
  const char* summary;
  LlamaSpec spec;
};

/// Those that `make` knows. The first is its default.
const std::vector<NamedLlama>& named_llamas();

std::vector<SuiteRow> suite(SuiteSize size);

}  // namespace tidemark::loaders::executorch
